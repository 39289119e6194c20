/** Draws random texts out of a GBNF grammar, to see what it lets through without a model. */
type Node =
  | { kind: 'literal'; text: string }
  | { kind: 'class'; ranges: [number, number][]; negated: boolean }
  | { kind: 'rule'; name: string }
  | { kind: 'sequence'; items: Node[] }
  | { kind: 'choice'; items: Node[] }
  | { kind: 'repeat'; item: Node; least: number; most: number };

export type Draw = () => number;

class Reader {
  at = 0;
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  peek(): string {
    return this.text[this.at] ?? '';
  }
  take(): string {
    const character = this.peek();
    this.at += 1;
    return character;
  }
  skipBlanks(): void {
    while (this.peek() === ' ') this.at += 1;
  }
}

const escaped = (reader: Reader): string => {
  const letter = reader.take();
  if (letter === 'n') return '\n';
  if (letter === 'r') return '\r';
  if (letter === 't') return '\t';
  if (letter === 'x') return String.fromCodePoint(Number.parseInt(reader.take() + reader.take(), 16));
  return letter;
};

const readLiteral = (reader: Reader): Node => {
  let text = '';
  while (reader.peek() !== '"') {
    const character = reader.take();
    if (character === '') throw new Error('a literal does not end');
    text += character === '\\' ? escaped(reader) : character;
  }
  reader.take();
  return { kind: 'literal', text };
};

const readClass = (reader: Reader): Node => {
  const negated = reader.peek() === '^';
  if (negated) reader.take();
  const ranges: [number, number][] = [];
  const one = (): number => {
    const character = reader.take();
    return (character === '\\' ? escaped(reader) : character).codePointAt(0) ?? 0;
  };
  while (reader.peek() !== ']') {
    const low = one();
    if (reader.peek() === '-' && reader.text[reader.at + 1] !== ']') {
      reader.take();
      ranges.push([low, one()]);
    } else ranges.push([low, low]);
  }
  reader.take();
  return { kind: 'class', ranges, negated };
};

const readItem = (reader: Reader): Node => {
  const character = reader.take();
  if (character === '"') return readLiteral(reader);
  if (character === '[') return readClass(reader);
  if (character === '(') {
    const inner = readChoice(reader);
    if (reader.take() !== ')') throw new Error('a group does not end');
    return inner;
  }
  let name = character;
  while (/[\w-]/.test(reader.peek())) name += reader.take();
  if (!/^[\w-]+$/.test(name)) throw new Error(`cannot read "${name}" at ${reader.at} of ${reader.text}`);
  return { kind: 'rule', name };
};

const readRepeated = (reader: Reader): Node => {
  let item = readItem(reader);
  for (;;) {
    const mark = reader.peek();
    if (mark === '?') item = { kind: 'repeat', item, least: 0, most: 1 };
    else if (mark === '*') item = { kind: 'repeat', item, least: 0, most: 4 };
    else if (mark === '+') item = { kind: 'repeat', item, least: 1, most: 4 };
    else if (mark === '{') {
      const bounds = /^\{(\d+)(,?)(\d*)\}/.exec(reader.text.slice(reader.at));
      if (bounds === null) throw new Error('bounds cannot be read');
      const least = Number(bounds[1]);
      const most = bounds[3] === '' ? (bounds[2] === ',' ? least + 6 : least) : Number(bounds[3]);
      reader.at += bounds[0].length - 1;
      item = { kind: 'repeat', item, least, most };
    } else return item;
    reader.take();
  }
};

const readChoice = (reader: Reader): Node => {
  const choices: Node[] = [];
  let sequence: Node[] = [];
  for (;;) {
    reader.skipBlanks();
    const next = reader.peek();
    if (next === '' || next === ')') break;
    if (next === '|') {
      reader.take();
      choices.push({ kind: 'sequence', items: sequence });
      sequence = [];
    } else sequence.push(readRepeated(reader));
  }
  choices.push({ kind: 'sequence', items: sequence });
  return choices.length === 1 ? (choices[0] as Node) : { kind: 'choice', items: choices };
};

export const parseGbnf = (grammar: string): Map<string, Node> =>
  new Map(
    grammar.split('\n').map((line): [string, Node] => {
      const [name = '', body = ''] = line.split(/ ::= (.*)/s);
      return [name, readChoice(new Reader(body))];
    }),
  );

const DEPTH = 40;

export const sampleGbnf = (rules: Map<string, Node>, draw: Draw): string => {
  const below = (count: number): number => Math.min(count - 1, Math.floor(draw() * count));
  const write = (node: Node, depth: number): string => {
    switch (node.kind) {
      case 'literal':
        return node.text;
      case 'class': {
        if (!node.negated) {
          const [low, high] = node.ranges[below(node.ranges.length)] ?? [48, 48];
          return String.fromCodePoint(low + below(high - low + 1));
        }
        return ['a', 'Z', ' ', 'é', '漢', '7', "'", '{', ','][below(9)] ?? 'a';
      }
      case 'rule': {
        const rule = rules.get(node.name);
        if (rule === undefined) throw new Error(`there is no rule ${node.name}`);
        return write(rule, depth + 1);
      }
      case 'sequence':
        return node.items.map((item) => write(item, depth)).join('');
      case 'choice':
        // Deep down the first way is taken, which is never the one that goes deeper.
        return write(node.items[depth > DEPTH ? 0 : below(node.items.length)] as Node, depth);
      case 'repeat': {
        const most = depth > DEPTH ? node.least : Math.min(node.most, node.least + 5);
        const count = node.least + below(most - node.least + 1);
        return Array.from({ length: count }, () => write(node.item, depth)).join('');
      }
    }
  };
  const root = rules.get('root');
  if (root === undefined) throw new Error('there is no rule root');
  return write(root, 0);
};
