/**
 * Draws diagrams in a frame of its own, which has no origin, no network and no storage: what a diagram could make a library
 * do, it does here. It is told a text, and tells how high the drawing is, or why there is none.
 */
import mermaid from 'mermaid';

type Asked = { text: string; dark: boolean };

const isAsked = (data: unknown): data is Asked =>
  typeof data === 'object' && data !== null && typeof (data as Asked).text === 'string';

const tell = (word: object): void => window.parent.postMessage(word, '*');

const draw = async ({ text, dark }: Asked): Promise<void> => {
  // Of another scheme than the page's, the frame would be painted white.
  document.documentElement.style.colorScheme = dark ? 'dark' : 'light';
  // Labels as text of the SVG, and not as markup inside of it.
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    htmlLabels: false,
    // Another one is asked for by a diagram and is not here; this one is.
    layout: 'dagre',
    theme: dark ? 'dark' : 'default',
    fontFamily: 'system-ui, sans-serif',
  });
  try {
    const { svg } = await mermaid.render('diagram', text);
    const read = new DOMParser().parseFromString(svg, 'text/html').body.firstElementChild;
    if (read === null) throw new Error('nothing was drawn');
    document.body.replaceChildren(document.importNode(read, true));
    tell({ height: Math.ceil(document.documentElement.getBoundingClientRect().height) });
  } catch (error) {
    document.body.replaceChildren();
    tell({ problem: error instanceof Error ? error.message : String(error) });
  }
};

window.addEventListener('message', ({ data, source }) => {
  if (source === window.parent && isAsked(data)) void draw(data);
});
tell({ ready: true });
