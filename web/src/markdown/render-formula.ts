/**
 * A formula as KaTeX lays it out, with its own fonts, which halter brings along: a machine without a font of mathematics
 * shows the same. Beside it, out of sight, stands MathML for those who listen. What KaTeX makes is read as a document of
 * its own, and only elements and attributes of mathematics are taken over.
 */
import 'katex/dist/katex.min.css';
import katex from 'katex';
import { type CSSProperties, createElement, type ReactNode } from 'react';

const ELEMENTS: ReadonlySet<string> = new Set(
  'span svg path line math menclose merror mfrac mi mn mmultiscripts mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics'.split(
    ' ',
  ),
);
const ATTRIBUTES: ReadonlySet<string> = new Set(
  'accent accentunder aria-hidden columnalign columnlines columnspacing d depth display displaystyle fence form height largeop linethickness lspace mathbackground mathcolor mathsize mathvariant maxsize minsize movablelimits notation preserveAspectRatio rowalign rowlines rowspacing rspace scriptlevel separator stretchy symmetric viewBox voffset width x1 x2 y1 y2'.split(
    ' ',
  ),
);
/** Of what one formula may define and expand. */
const EXPANSIONS = 500;
/** No size that a formula names reaches further. */
const SIZE_EMS = 30;

/** The page's policy allows no style that is written as text, in no document: it is kept aside and set one by one. */
const STYLE = 'data-style';
const withStylesAside = (markup: string): string => markup.replaceAll(' style="', ` ${STYLE}="`);

const styleOf = (element: Element): CSSProperties =>
  Object.fromEntries(
    (element.getAttribute(STYLE) ?? '').split(';').flatMap((rule) => {
      const at = rule.indexOf(':');
      const name = rule.slice(0, Math.max(0, at)).trim();
      return name === ''
        ? []
        : [[name.replaceAll(/-([a-z])/g, (_, letter) => letter.toUpperCase()), rule.slice(at + 1).trim()]];
    }),
  );

const nodeOf = (node: ChildNode, key: number): ReactNode => {
  if (node.nodeType === Node.TEXT_NODE) return node.textContent;
  if (!(node instanceof Element) || !ELEMENTS.has(node.localName)) return null;
  const kept = [...node.attributes].filter(({ name }) => ATTRIBUTES.has(name)).map(({ name, value }) => [name, value]);
  const properties = {
    key,
    ...Object.fromEntries(kept),
    ...(node.hasAttribute('class') ? { className: node.getAttribute('class') } : {}),
    ...(node.hasAttribute(STYLE) ? { style: styleOf(node) } : {}),
  };
  return createElement(node.localName, properties, ...[...node.childNodes].map(nodeOf));
};

/** Undefined where it is no mathematics that can be read. */
export const renderFormula = (tex: string, display: boolean): ReactNode | undefined => {
  try {
    const made = katex.renderToString(tex, {
      displayMode: display,
      output: 'htmlAndMathml',
      throwOnError: true,
      trust: false,
      strict: 'ignore',
      maxExpand: EXPANSIONS,
      maxSize: SIZE_EMS,
    });
    const drawn = new DOMParser().parseFromString(withStylesAside(made), 'text/html').body.firstChild;
    return drawn ? nodeOf(drawn, 0) : undefined;
  } catch {
    return undefined;
  }
};
