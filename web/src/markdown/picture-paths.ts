/** Which texts name a picture of the workspace. Pure. */
const ENDING = /\.(?:png|jpe?g|gif|webp)$/i;
/** Of one result as many are shown as one looks at. */
const SHOWN = 4;

/** A relative path that stays inside, as a model or a tool writes it; undefined for anything else. */
export const picturePath = (text: string): string | undefined => {
  if (text.length > 500 || !ENDING.test(text) || /^[/\\~]|[:?#<>"|*\\\p{Cc}]/u.test(text)) return undefined;
  const parts = text.replace(/^(?:\.\/)+/, '').split('/');
  return parts.some((part) => part === '..' || part === '') ? undefined : parts.join('/');
};

/** The same from the address in a text, where spaces and the like stand encoded. */
export const picturePathOfAddress = (address: string): string | undefined => {
  try {
    return picturePath(decodeURIComponent(address));
  } catch {
    return undefined;
  }
};

/** What a result says it made: the paths that stand by themselves in its data. A list of files is no gallery. */
export const picturesIn = (data: string | null): string[] => {
  if (data === null || !data.startsWith('{')) return [];
  try {
    const values = Object.values(JSON.parse(data) as object).flat();
    const paths = values.flatMap((value) => (typeof value === 'string' ? (picturePath(value) ?? []) : []));
    return [...new Set(paths)].slice(0, SHOWN);
  } catch {
    return [];
  }
};
