/** What a picture is, by the first bytes of its base64. */
import type { ContentPart } from './content-part.ts';

export type PicturePart = Extract<ContentPart, { type: 'image' }>;

/** The kind of data that comes without one; undefined for none of these. */
export const pictureKindOf = (base64: string): string | undefined =>
  BEGINNINGS.find(([beginning]) => beginning.test(base64.slice(0, BEGINNING_CHARACTERS).replaceAll(/\s/g, '')))?.[1];

/** Some encoders break the lines. */
const BEGINNING_CHARACTERS = 40;

const BEGINNINGS = [
  [/^iVBORw0KGgo/, 'image/png'],
  [/^\/9j\//, 'image/jpeg'],
  [/^R0lGOD/, 'image/gif'],
  // A size stands between the two marks. Sounds and films begin with the first of them too.
  [/^UklGR.{7}RUJQ/, 'image/webp'],
] as const;
/** One of these kinds, by any name that is in use. */
const SAID = /^image\/(?:x-)?(?:png|p?jpe?g|jfif|gif|webp)$/i;

/**
 * A picture with the kind that its content has; undefined where it is said to be one of these kinds and is none of them.
 * Other kinds, such as `image/avif`, are as they are said to be.
 */
export const truePicture = (picture: PicturePart): PicturePart | undefined => {
  const kind = pictureKindOf(picture.data_base64);
  if (kind === undefined) return SAID.test(picture.mime_type) ? undefined : picture;
  return kind === picture.mime_type ? picture : { ...picture, mime_type: kind };
};

/** Why a file does not come along, for a person. */
export const notAPicture = (name: string): string => `${name} is no PNG, JPEG, GIF or WebP picture`;
