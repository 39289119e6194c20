/** A model's text. Its blocks are kept; only the last one is read again while the text grows. */
import { createContext, memo, type ReactNode, useContext, useMemo, useRef } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { type Block, BlockReader } from './blocks.ts';
import { CodeBlock } from './code-block.tsx';
import { FormulaView } from './formula.tsx';
import { FORMULA, formulaPlaces } from './formula-places.ts';
import { type Formula, takeFormulas } from './math.ts';
import { NOTE_SCHEME, type Note, noteMarks, notesOf, stubsFor } from './notes.ts';
import { NoteMark, NotesContext, NotesView, useNotes } from './notes-view.tsx';
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

/** Each part is written in the direction of its own first words. */
const COMPONENTS: Components = {
  p: ({ children }) => <p dir="auto">{children}</p>,
  h1: ({ children }) => <h1 dir="auto">{children}</h1>,
  h2: ({ children }) => <h2 dir="auto">{children}</h2>,
  h3: ({ children }) => <h3 dir="auto">{children}</h3>,
  h4: ({ children }) => <h4 dir="auto">{children}</h4>,
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
const PLUGINS = [remarkGfm, writtenHtml, noteMarks, formulaPlaces, sourceMarks];
/** The formulas of the block that is drawn, by their places. */
const Formulas = createContext<readonly Formula[]>([]);
const FormulaAt = ({ place }: { place?: string }) => {
  const formula = useContext(Formulas)[Number(place)];
  return formula ? <FormulaView formula={formula} /> : null;
};
const ALL_COMPONENTS = { ...COMPONENTS, [FORMULA]: FormulaAt } as Components;
/** Addresses are judged where they are used, and shown as they are. */
const asWritten = (url: string): string => url;

const Prose = memo(({ text, continues }: { text: string; continues: boolean }) => {
  const { text: read, formulas } = useMemo(() => takeFormulas(text), [text]);
  return (
    <div className={continues ? 'prose prose-continued' : 'prose'}>
      <Formulas value={formulas}>
        <ReactMarkdown remarkPlugins={PLUGINS} components={ALL_COMPONENTS} urlTransform={asWritten}>
          {read}
        </ReactMarkdown>
      </Formulas>
    </div>
  );
});

const MAY_REFER = /\][[\]\s.,;:!?)]|\]$/;

type BlockProps = { block: Block; definitions: string; ended: boolean };

const BlockView = memo(({ block, definitions, ended }: BlockProps) =>
  block.kind === 'code' ? (
    <CodeBlock language={block.language} lines={block.lines} closed={block.closed || ended} />
  ) : (
    <Prose
      text={definitions === '' ? block.text : `${block.text}\n\n${definitions}`}
      continues={block.continues === true}
    />
  ),
);

/** The blocks of a text that mostly grows at its end. */
const useBlocks = (text: string, live: boolean): { blocks: readonly Block[]; definitions: string } => {
  const read = useRef<{ reader: BlockReader; text: string; live: boolean }>(undefined);
  const known = read.current;
  if (known === undefined || !text.startsWith(known.text) || (!known.live && text !== known.text)) {
    read.current = { reader: new BlockReader(), text: '', live: true };
  }
  const now = read.current as { reader: BlockReader; text: string; live: boolean };
  if (text.length > now.text.length) now.reader.push(text.slice(now.text.length));
  if (!live && now.live) now.reader.end();
  now.text = text;
  now.live = live;
  return { blocks: now.reader.blocks(), definitions: now.reader.definitions.join('\n') };
};

export const Markdown = memo(({ text, live }: { text: string; live: boolean }) => {
  const { blocks, definitions } = useBlocks(text, live);
  const notes = notesOf(blocks);
  const view = (block: Block, index: number) => (
    <BlockView key={index} block={block} ended={!live} definitions={definitionsFor(block, definitions, notes)} />
  );
  return (
    <NotesContext value={useNotes(notes)}>
      {blocks.map((block, index) => (block.kind === 'prose' && block.note !== undefined ? null : view(block, index)))}
      {notes.length > 0 && <NotesView notes={notes}>{(note) => note.blocks.map(view)}</NotesView>}
    </NotesContext>
  );
});

/** What stands elsewhere in the text and is needed to read this block. */
const definitionsFor = (block: Block, links: string, notes: readonly Note[]): string => {
  if (block.kind === 'code') return '';
  const stubs = stubsFor(block, notes);
  const ofLinks = MAY_REFER.test(block.text) ? links : '';
  return ofLinks === '' || stubs === '' ? ofLinks + stubs : `${ofLinks}\n\n${stubs}`;
};
