/** What is printed whole: the first lines, and what the slash commands list. */
import { counted } from '../../core/number-text.ts';
import type { Job } from '../../core/ports.ts';
import type { Tool } from '../../core/tool.ts';
import type { ModelFacts, ServerView } from '../app-options.ts';
import { type Keybindings, keyText } from '../keybindings.ts';
import { sanitizeLine, sanitizeText } from '../sanitize.ts';
import { besideEach, cut, inColumn, quote, widthOf, wrapSpans, wrapText } from '../text.ts';
import type { Theme } from '../theme.ts';
import { fixedItem, type Item } from '../transcript/items.ts';
import type { SlashCommand } from './slash-command.ts';

const keyRows = ({ keysOf }: Keybindings): [string, string][] => [
  [keyText(keysOf('send')), 'send; while a run goes on, it gets this at its next step'],
  [keyText(keysOf('send_at_end')), 'while a run goes on: send when it is over'],
  [keyText(keysOf('new_line')), 'new line'],
  [keyText(keysOf('stop')), 'stop at once'],
  ['Ctrl+C', 'clear the line; twice: leave'],
  [keyText(keysOf('mode')), 'the next mode: plan, ask, edit, auto; yolo where halter was started in it'],
  [keyText(keysOf('search_history')), 'search what you typed before'],
  [keyText(keysOf('edit_outside')), 'write the message in your own editor ($EDITOR)'],
  [keyText(keysOf('details')), 'open and close the details of calls'],
  [keyText([...keysOf('up'), ...keysOf('down')]), 'earlier messages; takes back what waits'],
  [keyText(keysOf('paste_picture')), 'attach the picture on the clipboard; a picture can be dropped as well'],
  ['@', 'complete a file name, which then comes along'],
  ['!', "run a command of your own, confined as the model's are; the model sees it with the next message"],
];
const NARROW = 60;

/** A column as wide as its longest name, as far as two thirds of the window leave room for what it means. */
const table = (
  rows: readonly (readonly [string, string])[],
  width: number,
  { marks }: Theme,
  paint: (text: string) => string = (text) => text,
): string[] => {
  const columns = Math.min(Math.floor(width / 3), Math.max(...rows.map(([name]) => widthOf(name)))) + 2;
  return rows.flatMap(([name, text]) =>
    width < NARROW || widthOf(name) + 2 > columns
      ? [paint(`  ${cut(name, width - 2)}`), ...quote(text, width, width < NARROW ? '    ' : ' '.repeat(columns + 2))]
      : wrapSpans(
          [{ text: `  ${besideEach(name, columns - 2, marks)}`, paint }, { text }],
          width,
          ' '.repeat(columns + 2),
        ).map((line) => line.text),
  );
};

export const headerItem = (title: string, model: ModelFacts): Item =>
  fixedItem('notice', ({ width, theme }) => {
    const where = `${sanitizeLine(model.name)} at ${sanitizeLine(model.endpoint)}`;
    const help = 'Shift+Tab changes the mode, @ names a file, /help lists the rest';
    const short = 'Shift+Tab: mode, /help: the rest';
    const line = `${where}${theme.marks.separator}${help}`;
    return [
      theme.bold(cut(sanitizeLine(title), width)),
      ...(widthOf(line) <= width ? [line] : [cut(where, width), widthOf(help) <= width ? help : cut(short, width)]).map(
        theme.dim,
      ),
    ];
  });

type HelpRow = Pick<SlashCommand, 'name' | 'description' | 'argument'>;

/** Every command, those of the person's own too, and every key. */
export const helpItem = (keys: Keybindings, commands: readonly HelpRow[]): Item =>
  fixedItem('text', ({ width, theme }) => {
    const rows = commands.map(({ name, argument, description }): [string, string] => [
      sanitizeLine(argument ? `/${name} [${argument}]` : `/${name}`),
      sanitizeLine(description),
    ]);
    return [
      theme.bold('Commands'),
      ...table(rows, width, theme),
      '',
      theme.bold('Keys'),
      ...table(keyRows(keys), width, theme),
    ];
  });

const RISK_PAINTS = { safe: 'dim', medium: 'warn', high: 'bad' } as const;
const RISK_COLUMNS = 6;

/** `offered`: those of this session, where it has begun. */
export const toolsItem = (tools: readonly Tool[], offered: readonly string[] | undefined = undefined): Item =>
  fixedItem('text', ({ width, theme }) => {
    if (tools.length === 0) return ['No tools are offered to the model.'];
    const names = Math.min(24, Math.max(...tools.map((tool) => tool.name.length)));
    const listed = tools.flatMap((tool) => {
      const risk = theme[RISK_PAINTS[tool.risk]](inColumn(tool.risk, RISK_COLUMNS, theme.marks));
      const first = sanitizeText(tool.description).split(/(?<=\.)\s/)[0] ?? '';
      const name = sanitizeLine(tool.name);
      if (width < NARROW) return [`${risk} ${theme.bold(name)}`, ...quote(first, width, '  ', theme.dim)];
      const indent = ' '.repeat(names + 9);
      const [head = '', ...rest] = wrapSpans([{ text: first }], width - indent.length).map((line) => line.text);
      return [
        `${risk} ${theme.bold(besideEach(name, names, theme.marks))}${head}`,
        ...rest.map((line) => indent + line),
      ];
    });
    const left = offered === undefined ? [] : tools.filter(({ name }) => !offered.includes(name));
    if (left.length === 0) return listed;
    const leftOut = left.map(({ name }) => sanitizeLine(name)).join(', ');
    return [...listed, '', ...wrapText(`Not offered in this session: ${leftOut}.`, width, theme.dim)];
  });

/** Background commands, each with its id and how it stands. */
export const jobsItem = (jobs: readonly Job[]): Item =>
  fixedItem('text', ({ width, theme }) =>
    jobs.map(({ id, state, command, exit_code, signal, stopped }) => {
      const end = stopped ? 'stopped' : (signal ?? (exit_code === undefined ? '' : `exit ${exit_code}`));
      const how = state === 'running' ? theme.accent('running') : theme.dim(`ended${end === '' ? '' : `, ${end}`}`);
      return cut([theme.bold(id), how, sanitizeLine(command)].join(theme.marks.beside), width);
    }),
  );

const STATE_PAINTS = { connected: 'good', failed: 'bad', 'login needed': 'warn' } as const;

/** MCP servers as they stand; of a single one its tools too. */
export const serversItem = (servers: readonly ServerView[], withTools: boolean): Item =>
  fixedItem('text', ({ width, theme }) =>
    servers.flatMap(({ name, state, detail, shown, tools }) => {
      const paint = theme[STATE_PAINTS[state as keyof typeof STATE_PAINTS] ?? 'dim'];
      const count = state === 'connected' ? `${theme.marks.separator}${counted(tools.length, 'tool')}` : '';
      return [
        cut(`${theme.bold(sanitizeLine(name))}${theme.marks.beside}${paint(state)}${count}`, width),
        ...(detail === ''
          ? []
          : quote(sanitizeLine(detail), width, '  ', state === 'connected' ? theme.dim : undefined)),
        ...quote(sanitizeLine(shown), width, '  ', theme.dim),
        ...(withTools ? tools.flatMap((tool) => quote(sanitizeLine(tool), width, '    ')) : []),
      ];
    }),
  );
