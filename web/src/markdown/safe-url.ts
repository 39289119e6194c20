/** What a text of a model may point at. It points; nothing is loaded by itself (goal: nothing a model writes leaves). */
const LINK_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);
/** Pictures that cannot hold a script. */
const RASTER = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=\s]+$/i;
/** Of what stands behind the host; the host is never cut, for its end is what counts. */
const PATH_CHARACTERS = 40;

/** The address in the form the browser will use, or undefined where it is none that a link may have. */
export const linkTarget = (url: string): string | undefined => {
  if (!URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  return LINK_SCHEMES.has(parsed.protocol) ? parsed.href : undefined;
};

export const isInlineImage = (url: string): boolean => RASTER.test(url);

/** The whole host and the beginning of the path, as the network knows them: what a link's text may hide. */
export const shownTarget = (href: string): string => {
  const { protocol, host, pathname, search, hash } = new URL(href);
  if (protocol === 'mailto:') return pathname;
  const rest = `${pathname === '/' ? '' : pathname}${search}${hash}`;
  return host + (rest.length <= PATH_CHARACTERS ? rest : `${rest.slice(0, PATH_CHARACTERS)}…`);
};

/** The text says already where the link leads. */
export const saysTarget = (text: string, href: string): boolean =>
  [href, href.replace(/\/$/, ''), shownTarget(href), href.replace(/^mailto:/, '')].includes(text.trim());
