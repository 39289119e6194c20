/**
 * A formula as MathML, which browsers draw with the system's own fonts: no font, style or request of anybody else. What
 * KaTeX makes is read as a document of its own, and only elements and attributes of mathematics are taken over.
 */
import katex from 'katex';
import { createElement, type ReactNode } from 'react';

const ELEMENTS: ReadonlySet<string> = new Set(
  'math menclose merror mfrac mi mn mmultiscripts mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics'.split(
    ' ',
  ),
);
const ATTRIBUTES: ReadonlySet<string> = new Set(
  'accent accentunder columnalign columnlines columnspacing depth display displaystyle fence form height largeop linethickness lspace mathbackground mathcolor mathsize mathvariant maxsize minsize movablelimits notation rowalign rowlines rowspacing rspace scriptlevel separator stretchy symmetric voffset width'.split(
    ' ',
  ),
);
/** Of what one formula may define and expand. */
const EXPANSIONS = 500;

const nodeOf = (node: ChildNode, key: number): ReactNode => {
  if (node.nodeType === Node.TEXT_NODE) return node.textContent;
  if (!(node instanceof Element) || !ELEMENTS.has(node.localName)) return null;
  const kept = [...node.attributes].filter(({ name }) => ATTRIBUTES.has(name)).map(({ name, value }) => [name, value]);
  return createElement(node.localName, { key, ...Object.fromEntries(kept) }, ...[...node.childNodes].map(nodeOf));
};

/** Undefined where it is no mathematics that can be read. */
export const renderFormula = (tex: string, display: boolean): ReactNode | undefined => {
  try {
    const made = katex.renderToString(tex, {
      displayMode: display,
      output: 'mathml',
      throwOnError: true,
      trust: false,
      strict: 'ignore',
      maxExpand: EXPANSIONS,
    });
    const math = new DOMParser().parseFromString(made, 'text/html').querySelector('math');
    return math ? nodeOf(math, 0) : undefined;
  } catch {
    return undefined;
  }
};
