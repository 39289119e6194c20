/** A block of Markdown as it is read, with what the page makes of links, pictures, tables and formulas. */
import { createContext, memo, type ReactNode, useContext, useMemo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { carriedItems } from './carried-items.ts';
import { FormulaView } from './formula.tsx';
import { FORMULA, formulaPlaces } from './formula-places.ts';
import { type Formula, takeFormulas } from './math.ts';
import { NOTE_SCHEME, noteMarks } from './notes.ts';
import { NoteMark } from './notes-view.tsx';
import { type Open, outlined } from './outline.ts';
import { Picture } from './picture.tsx';
import { linkTarget, saysTarget, shownTarget } from './safe-url.ts';
import { ShowSource } from './show-source.ts';
import { SOURCE_SCHEME, sourceMarks } from './source-marks.ts';
import { Table } from './table.tsx';
import { writtenHtml } from './written-html.ts';

const textOf = (children: ReactNode): string =>
  typeof children === 'string' ? children : Array.isArray(children) ? children.map(textOf).join('') : '';

const Link = ({ href = '', children }: { href?: string | undefined; children?: ReactNode }) => {
  const showSource = useContext(ShowSource);
  if (href.startsWith(NOTE_SCHEME)) return <NoteMark label={href.slice(NOTE_SCHEME.length)} />;
  if (href.startsWith(SOURCE_SCHEME)) {
    const tool = href.slice(SOURCE_SCHEME.length);
    return (
      <button type="button" className="source-mark" aria-label={`Source: ${tool}`} onClick={() => showSource(tool)}>
        <span>{tool}</span>
      </button>
    );
  }
  const target = linkTarget(href);
  if (target === undefined) return <span>{children}</span>;
  return (
    <>
      <a href={target} rel="noopener noreferrer" target="_blank" title={target}>
        {children}
      </a>
      {!saysTarget(textOf(children), target) && (
        <span className="text-sm text-soft" data-target={target}>
          {' '}
          ({shownTarget(target)})
        </span>
      )}
    </>
  );
};

type HeadingProps = { children?: ReactNode; 'aria-level'?: number | string | boolean | undefined };
const heading =
  (Tag: 'h1' | 'h2' | 'h3' | 'h4' | 'h5' | 'h6') =>
  ({ children, 'aria-level': level }: HeadingProps) => (
    <Tag dir="auto" aria-level={Number(level)}>
      {children}
    </Tag>
  );

/** Each part is written in the direction of its own first words. */
const COMPONENTS: Components = {
  p: ({ children }) => <p dir="auto">{children}</p>,
  h1: heading('h1'),
  h2: heading('h2'),
  h3: heading('h3'),
  h4: heading('h4'),
  h5: heading('h5'),
  h6: heading('h6'),
  ul: ({ children, className }) => (
    <ul dir="auto" className={className}>
      {children}
    </ul>
  ),
  ol: ({ children, start }) => (
    <ol dir="auto" start={start}>
      {children}
    </ol>
  ),
  blockquote: ({ children }) => <blockquote dir="auto">{children}</blockquote>,
  a: ({ href, children }) => <Link href={href}>{children}</Link>,
  // Of a list of tasks.
  input: ({ checked }) => (
    <input type="checkbox" disabled checked={checked === true} readOnly aria-label={checked ? 'done' : 'to do'} />
  ),
  img: ({ src, alt }) => <Picture src={typeof src === 'string' ? src : ''} alt={alt} />,
  // A fence within a list or a quote.
  pre: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
    <pre tabIndex={0}>{children}</pre>
  ),
  table: ({ children }) => <Table>{children}</Table>,
};
const PLUGINS = [remarkGfm, carriedItems, writtenHtml, noteMarks, formulaPlaces, sourceMarks];
/** The formulas of the block that is drawn, by their places. */
const Formulas = createContext<readonly Formula[]>([]);
const FormulaAt = ({ place }: { place?: string }) => {
  const formula = useContext(Formulas)[Number(place)];
  return formula ? <FormulaView {...formula} /> : null;
};
const ALL_COMPONENTS = { ...COMPONENTS, [FORMULA]: FormulaAt } as Components;
/** Addresses are judged where they are used, and shown as they are. */
const asWritten = (url: string): string => url;

type Props = { text: string; continues: boolean; under: Open };

export const Prose = memo(({ text, continues, under }: Props) => {
  const { text: read, formulas } = useMemo(() => takeFormulas(text), [text]);
  const plugins = useMemo(() => [...PLUGINS, () => outlined(under)], [under]);
  return (
    <div className={continues ? 'prose prose-continued' : 'prose'}>
      <Formulas value={formulas}>
        <ReactMarkdown remarkPlugins={plugins} components={ALL_COMPONENTS} urlTransform={asWritten}>
          {read}
        </ReactMarkdown>
      </Formulas>
    </div>
  );
});
