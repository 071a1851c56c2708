const BYTES = Float32Array.BYTES_PER_ELEMENT;

/** A vector as bytes, little-endian whatever the machine, so that a file can move to another one. */
export function encodeFloat32(vector: Float32Array): Uint8Array {
  const bytes = new Uint8Array(vector.length * BYTES);
  const view = new DataView(bytes.buffer);
  // Plain loops: all vectors of a catalogue are read at the start, and iterators are slow over so many numbers.
  for (let i = 0; i < vector.length; i++) view.setFloat32(i * BYTES, vector[i] ?? 0, true);
  return bytes;
}

export function decodeFloat32(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const vector = new Float32Array(bytes.byteLength / BYTES);
  for (let i = 0; i < vector.length; i++) vector[i] = view.getFloat32(i * BYTES, true);
  return vector;
}
