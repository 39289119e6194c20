/**
 * Markup without what could reach out. The frame that draws it can do nothing anyway; what is taken out here would only
 * leave an error in its place, or is looked up by browsers before any policy is asked.
 */
const TAKEN_OUT =
  'script, iframe, frame, frameset, object, embed, portal, link, base, meta[http-equiv], meta[name="referrer"], template';
const ADDRESSES = [
  'href',
  'xlink:href',
  'src',
  'srcset',
  'poster',
  'background',
  'data',
  'action',
  'formaction',
  'ping',
];

/** A place in the same document, or what the document brings along. */
const isInside = (address: string): boolean => /^\s*(?:#|data:(?:image|font)\/)/i.test(address);

export const safeMarkup = (markup: string): { html: string; hadScripts: boolean } => {
  // A document that is only read: nothing in it runs or loads.
  const read = new DOMParser().parseFromString(markup, 'text/html');
  const hadScripts = read.querySelector('script') !== null;
  for (const element of read.querySelectorAll(TAKEN_OUT)) element.remove();
  for (const element of read.querySelectorAll('*')) {
    for (const { name, value } of [...element.attributes]) {
      const isAddress = ADDRESSES.includes(name.toLowerCase()) && !isInside(value);
      if (isAddress || name.toLowerCase().startsWith('on')) element.removeAttribute(name);
    }
  }
  return { html: `<!doctype html>${read.documentElement.outerHTML}`, hadScripts };
};
