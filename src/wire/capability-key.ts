/** The identity of a capability: `agent_name/id`. */
export function capabilityKey(agentName: string, capabilityId: string): string {
  return `${agentName}/${capabilityId}`;
}

/** The parts of a capability's identity; undefined where it is none. Agent names hold no slash: the first one divides. */
export function splitCapabilityKey(key: string): { agentName: string; capabilityId: string } | undefined {
  const slash = key.indexOf('/');
  if (slash < 1 || slash === key.length - 1) return undefined;
  return { agentName: key.slice(0, slash), capabilityId: key.slice(slash + 1) };
}
