/** What a picture is, by its first bytes. */
export type ImageFile = { format: 'png' | 'jpg' | 'webp'; width?: number; height?: number };

const PNG_SIZE_AT = 16;

export const imageFile = (bytes: Uint8Array): ImageFile | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length >= 24 && view.getUint32(0) === 0x89504e47 && view.getUint32(4) === 0x0d0a1a0a) {
    return { format: 'png', width: view.getUint32(PNG_SIZE_AT), height: view.getUint32(PNG_SIZE_AT + 4) };
  }
  if (bytes.length >= 4 && view.getUint32(0) >>> 8 === 0xffd8ff) return { format: 'jpg' };
  if (bytes.length >= 12 && view.getUint32(0) === 0x52494646 && view.getUint32(8) === 0x57454250) {
    return { format: 'webp' };
  }
  return undefined;
};
