/** The standard deviation as the unit of a number; 1 for one that never changes and says nothing, whatever its unit. */
export function unitOf(variance: number): number {
  return variance > 1e-24 ? Math.sqrt(variance) : 1;
}
