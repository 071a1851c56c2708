const closers = new Set<() => void>();

function closeAll(): void {
  for (const close of closers) close();
}

/** Calls back when the process is told to end, which it then does only by itself; the returned function ends that. */
export function onSigterm(close: () => void): () => void {
  if (closers.size === 0) process.on('SIGTERM', closeAll);
  closers.add(close);
  return () => {
    closers.delete(close);
    if (closers.size === 0) process.off('SIGTERM', closeAll);
  };
}
