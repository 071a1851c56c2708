const BYTES = Float32Array.BYTES_PER_ELEMENT;

/** A vector as bytes, little-endian whatever the machine, so that a file can move to another one. */
export function encodeFloat32(vector: Float32Array): Uint8Array {
  const bytes = new Uint8Array(vector.length * BYTES);
  const view = new DataView(bytes.buffer);
  for (const [index, value] of vector.entries()) view.setFloat32(index * BYTES, value, true);
  return bytes;
}

export function decodeFloat32(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from({ length: bytes.byteLength / BYTES }, (_, index) =>
    view.getFloat32(index * BYTES, true),
  );
}
