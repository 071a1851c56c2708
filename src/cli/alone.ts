/** How a command opens a façade over a catalogue of its own: nobody is called or told, and nothing is left behind. */
export const ALONE = {
  manifests: null,
  routes: null,
  data: null,
  probes: false,
  tickets: false,
} as const;
