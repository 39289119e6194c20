/**
 * Classes of small deviations over every dialect that they can happen in. Each case is made from the dialect's own
 * notation, and read whole and in pieces, in the dialect and where the dialect is found out.
 */
import { describe, expect, test } from 'vitest';
import { inTurn } from '../../tests/support/long.ts';
import { seededRandom } from '../../tests/support/seeded-random.ts';
import { createParser, dialectNames, renderCall, type ToolDefinition } from './index.ts';

const PATH = { path: { type: 'string' } } as const;
const tools: ToolDefinition[] = [
  { name: 'read_file', parameters: { type: 'object', properties: { ...PATH, 'say "x"': { type: 'string' } } } },
  { name: 'a&b', parameters: { type: 'object', properties: PATH } },
  { name: 'other', parameters: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] } },
];
type Call = { name: string; arguments: Record<string, string> };
const CALL: Call = { name: 'read_file', arguments: { path: 'a' } };
const SECOND: Call = { name: 'read_file', arguments: { path: 'b' } };
const DIALECTS = dialectNames().filter((name) => name !== 'auto' && name !== 'native');
/** Nothing in them is a tag or a marker that can be written wrong in the way of a class: control tokens and channels. */
const CHANNELS = ['harmony', 'muse', 'inkling'];
/** Without marks: an answer that has other text is read by `readAnswer`. */
const BARE = ['llama3-json', 'xlam', 'pythonic', 'plain-json', 'edison'];

type Variant = { text: string; calls?: readonly Call[]; content?: string };
type Class = {
  what: string;
  /** Why a dialect is left out. */
  except?: Readonly<Record<string, string>>;
  /** None where the class does not apply to how the dialect writes its calls. */
  variants(written: string, dialect: string): readonly Variant[];
};

/** The changes that change something. */
const changed = (written: string, ...texts: readonly string[]): Variant[] =>
  texts.filter((text) => text !== written).map((text) => ({ text }));
const JSON_CALL = /\{"(?:name|tool|tool_name|tool_call_id)": .*\}\}/s;
const NAMED_CALL = /(?<![="])(?:functions\.)?read_file[^"{\n]{1,60}\{"path": "a"\}/;
const INVOKE = '<invoke name="read_file">\n<parameter name="path">a</parameter>\n</invoke>';
const FUNCTION = '<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>';
const OBJECT = '{"name": "read_file", "arguments": {"path": "a"}}';

const CLASSES: readonly Class[] = [
  {
    what: 'entities in names',
    except: { inkling: 'the name is part of a header', harmony: 'the name is part of a header' },
    variants: (written) =>
      /read_file\(/.test(written) || written.includes('<invoke name="read_file">]<]')
        ? []
        : ['a&amp;b', 'a&#38;b', 'a&#x26;b'].map((name) => ({
            text: written.replaceAll('read_file', name),
            calls: [{ name: 'a&b', arguments: { path: 'a' } }],
          })),
  },
  {
    what: 'entities in keys',
    variants: (written) => {
      const key = (quoted: string): string => quoted.replace('path', 'say &quot;x&quot;');
      const text = written.replace(/(?:key|name)="path"|arg_key>path<|parameter=path>/, key);
      return changed(written, text).map((variant) => ({
        ...variant,
        calls: [{ name: 'read_file', arguments: { 'say "x"': 'a' } }],
      }));
    },
  },
  {
    what: 'blanks in tags',
    except: { functiongemma: 'its marks are control tokens' },
    variants: (written) => {
      const tag = /(?<!\[)<(\/?[\w:]+(?:[ =][\w"= ]+)?)>/g;
      return changed(
        written,
        written.replaceAll(tag, '<$1 >'),
        ...(written.includes(']<]') ? [] : [written.replaceAll(tag, '< $1>'), written.replaceAll(/<\/(\w)/g, '</ $1')]),
        written.replaceAll(/<([\w:]+(?: name)?)=("?\w+"?)>/g, '<$1 = $2>'),
        written.replaceAll(/<(\w+) name=/g, '<$1  name='),
        written.replaceAll(/<(\w+) name=/g, '<$1\nname='),
        written.replaceAll(/="(\w+)"/g, "='$1'"),
      );
    },
  },
  {
    what: 'another notation inside the wrapper of calls',
    except: { functiongemma: 'its marks are control tokens' },
    variants: (written) => {
      const open = /^<[\w:]*(?:tool_calls?|function_calls?)>/i.exec(written)?.[0] ?? '';
      const inside = [INVOKE, FUNCTION, OBJECT].map((call) => `${open}\n${call}\n${open.replace('<', '</')}`);
      return open === '' ? [] : inside.map((text) => ({ text }));
    },
  },
  {
    what: 'one marker before several calls',
    variants: (written) => {
      const call = (JSON_CALL.exec(written) ?? NAMED_CALL.exec(written) ?? /read_file\(path="a"\)/.exec(written))?.[0];
      const pair = /read_file\S*\s*<\S*arg_key>.*arg_value>/s.exec(written)?.[0];
      const one = pair ?? call;
      if (one === undefined || (written.includes(`[${one}]`) && !one.includes('('))) return [];
      const other = one.replace(/"a"|>a</, (value) => value.replace('a', 'b'));
      const between = one.includes('(') && written.includes('[') ? [', '] : ['', '\n'];
      return between.map((mark) => ({ text: written.replace(one, one + mark + other), calls: [CALL, SECOND] }));
    },
    except: {
      harmony: 'a header says for whom a message is',
      inkling: 'a header says for whom a message is',
      'command-r-plus': 'its calls are a list',
      lfm2: 'its calls are a list',
    },
  },
  {
    what: 'a bracket lost before the arguments',
    except: {
      harmony: 'a message that is no object is code',
      'functionary-v3.2': 'a message that is no object is code',
      react: 'what is no object is an input that cannot be read',
    },
    variants: (written) => {
      const at = written.indexOf('{"path"');
      const before = written.slice(0, at).trimEnd();
      const isTag = /(?:\]|<[\w=]+>)$/.test(before);
      if (at < 0) return [];
      return changed(
        written,
        written.replace('{"path"', '"path"'),
        ...(isTag ? [before.slice(0, -1) + written.slice(at)] : []),
      );
    },
  },
  {
    what: 'a name as code',
    variants: (written) => changed(written, written.replaceAll('read_file', '`read_file`')),
  },
  {
    what: 'marks of thoughts',
    except: Object.fromEntries([...CHANNELS, 'functionary-v3.2', 'react'].map((name) => [name, 'thoughts are lines'])),
    variants: (written) => [
      ...['</think>\n', '<think>\n', '<think>\nhm</think>\n\n</think>\n', '<think>\n<think>\nhm\n</think>\n'].map(
        (before) => ({ text: before + written }),
      ),
      { text: `<think>\n\n</think>\n\n${written}` },
      { text: `${written}\n</think>` },
      { text: `${written}\n<think>` },
    ],
  },
  {
    what: 'end marks of the template',
    variants: (written) =>
      [
        '<|im_end|>',
        '</s>',
        '<|eot_id|>',
        '<|im_end|>\n<|im_start|>assistant\n',
        '<|im_end|>\n<|endoftext|>',
        '<end_of_turn>\n<start_of_turn>model\n',
        '<|assistant|>',
        '[EOS]',
        '\n[EOT]',
        '<|eos|>',
        '<|role_end|>',
        '</s>[EOS]\n',
        '<|im_end|>\n<|im_start|>user\n',
      ].map((after) => ({ text: written + after })),
  },
  {
    what: 'spaces that nobody sees, beside what is written',
    variants: (written) =>
      ['\u00a0', '\u200b', '\u2060', '\ufeff'].flatMap((hidden) =>
        changed(
          written,
          hidden + written,
          written + hidden,
          `${hidden}\n${hidden}${written}${hidden}\n`,
          written.replace(/^(<[\w:]+>|\[[A-Z_]+\])(?=[\n{[])/, `$1${hidden}`),
          written.replace('{"', `{${hidden}"`),
          written.replace(/\}(?=[^}]*$)/, `${hidden}}`),
          written.replace('": ', `":${hidden}`),
        ),
      ),
  },
  {
    what: 'lines that are indented',
    except: { functiongemma: 'it has no lines' },
    variants: (written) =>
      ['  ', '\t'].flatMap((indent) =>
        changed(
          written,
          written.replaceAll(/^/gm, indent),
          written.replaceAll(/\n(?=.*\n)/g, `\n${indent}`),
          written.replaceAll('\n', `\r\n${indent}`),
        ),
      ),
  },
  {
    what: 'text behind a call that begins like one',
    except: Object.fromEntries(
      BARE.map((name) => [name, 'without marks, words beside a call are looked at elsewhere']),
    ),
    variants: (written) =>
      ['[1] is a note.', '[see notes] later', ', then I wait.', '; then I wait.', '(I wait)', '`code` is'].flatMap(
        (content) => ['\n', ' '].map((space) => ({ text: `${written}${space}${content}`, content })),
      ),
  },
  {
    what: 'a call to nobody that prose quotes',
    except: Object.fromEntries(CHANNELS.map((name) => [name, 'a header is a control token, which prose cannot hold'])),
    variants: (_, dialect) => {
      const call = renderCall(dialect, { name: 'no_such_tool', arguments: { path: 'a' } });
      const quoted = ['"', "'", '`'].map((mark) => `To use it write ${mark}${call}${mark} and wait.`);
      const texts = [...quoted, `To use it write “${call}” and wait.`, `To use it, ${call} is written.`];
      return texts.map((text) => ({ text, calls: [], content: text }));
    },
  },
];

const read = (dialect: string, text: string, size: number | (() => number)) => {
  const parser = createParser({ dialect, tools });
  for (let at = 0, length = 0; at < text.length; at += length) {
    length = typeof size === 'number' ? size : size();
    parser.push(text.slice(at, at + length));
  }
  const { calls, content, broken } = parser.end().result;
  return {
    calls: calls.map(({ name, arguments: args }) => ({ name, arguments: args })),
    content: content.trim(),
    broken,
  };
};

/** Usually each case is played in every second dialect. */
const halfOf = (cases: readonly Variant[], turn: number): readonly Variant[] => inTurn(cases, turn % 2, 2);

describe.each(CLASSES)('$what', ({ variants, except = {} }) => {
  const applying = DIALECTS.filter((dialect) => except[dialect] === undefined)
    .map((dialect, turn) => ({ dialect, turn, cases: halfOf(variants(renderCall(dialect, CALL), dialect), turn) }))
    .filter(({ cases }) => cases.length > 0);

  /** Usually each case is read whole and in pieces of one size, in turn. */
  test.each(applying)('$dialect', ({ dialect, cases, turn }) => {
    const random = seededRandom();
    const anySize = (): number => 1 + Math.floor(random() * 12);
    for (const [index, { text, calls = [CALL], content = '' }] of cases.entries()) {
      for (const by of [dialect, 'auto']) {
        for (const size of [text.length, ...inTurn([1, 3, 7, anySize], (index + turn) % 4, 4)]) {
          const pieces = typeof size === 'number' ? `pieces of ${size}` : 'any pieces';
          expect(read(by, text, size), `${by} in ${pieces}: ${text}`).toEqual({ calls, content, broken: [] });
        }
      }
    }
  });
});

/** A value in lines of its own is indented as its tags are; what is deeper, or not indented, is its own. */
describe.each(['qwen3-coder', 'seed-oss'])('indented values of %s', (dialect) => {
  const marks = dialect === 'seed-oss' ? 'seed:tool_call' : 'tool_call';
  const written = (value: string, indent: string): string =>
    `<${marks}>\n${indent}<function=read_file>\n${indent}<parameter=path>\n${value}\n${indent}</parameter>\n${indent}</function>\n</${marks}>`;

  test.each([
    ['one line', '  a', '  ', 'a'],
    ['one line of a tab', '\ta', '\t', 'a'],
    ['a deeper line', '    a', '  ', '  a'],
    ['several lines', '  def f():\n    pass\n\n  f()', '  ', 'def f():\n  pass\n\nf()'],
    ['a line that is not indented', 'a', '  ', 'a'],
    ['lines of which one is not indented', '  a\nb', '  ', '  a\nb'],
    ['tags that are not indented', '  a\n  ', '', '  a\n  '],
    ['the end of a value within', '  <p>\n    </parameter> x\n  </p>', '  ', '<p>\n  </parameter> x\n</p>'],
  ])('%s', (_, value, indent, path) => {
    const text = written(value, indent);
    for (const size of [text.length, 1, 2, 5]) {
      const expected = { calls: [{ name: 'read_file', arguments: { path } }], content: '', broken: [] };
      expect(read(dialect, text, size), `in pieces of ${size}`).toEqual(expected);
    }
  });
});
