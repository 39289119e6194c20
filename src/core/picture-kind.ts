/** The kind of a picture by the first bytes of its base64, for data that comes without one; undefined for none of these. */
export const pictureKindOf = (base64: string): string | undefined =>
  BEGINNINGS.find(([beginning]) => base64.startsWith(beginning))?.[1];

const BEGINNINGS = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
] as const;
