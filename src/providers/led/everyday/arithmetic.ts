/** Sums that a request asks for, worked out and never guessed. */

const SPOKEN: readonly (readonly [RegExp, string])[] = [
  [/(?<=\d),(?=\d{3}\b)/g, ''],
  [/\bmultiplied by\b|\btimes\b|[×·✕]|(?<=[\d)]\s*)x(?=\s*[\d(])/gi, '*'],
  [/\bdivided by\b|\bover\b|÷/gi, '/'],
  [/\bplus\b|\badded to\b/gi, '+'],
  [/\bminus\b|\bless\b|−/gi, '-'],
  [/\b(?:to the power of|raised to)\b|\*\*/gi, '^'],
  [/\bsquared\b/gi, '^2'],
  [/\bcubed\b/gi, '^3'],
  [/\bmod(?:ulo)?\b/gi, '%'],
  [/(\d+(?:\.\d+)?)\s*(?:%|percent)\s+of\b/gi, '$1/100*'],
  [/\b(?:the )?square root of\b/gi, 'r'],
];
const ASKING =
  /^(?:please |can you |could you |tell me |quickly )*(?:what(?:'s| is| are)|how much is|calculate|compute|work out|solve|evaluate|(?:give me )?the result of)?\s*/i;

/** Numbers, operators and brackets, and at least one operator. */
const expressionIn = (request: string): string | undefined => {
  let text = request
    .trim()
    .replace(ASKING, '')
    .replace(/[\s?.!=]+$/, '');
  const sum = /^(?:the )?(sum|product) of ([\d\s.,and]+)$/i.exec(text);
  if (sum) {
    const sign = sum[1]?.toLowerCase() === 'sum' ? '+' : '*';
    text = (sum[2] ?? '')
      .trim()
      .split(/\s*,?\s+and\s+|\s*,\s*|\s+/)
      .join(sign);
  }
  for (const [pattern, sign] of SPOKEN) text = text.replace(pattern, sign);
  text = text.replace(/\s+/g, ' ').trim();
  return text.length <= 200 &&
    /^[\d\s.+\-*/%^()r]+$/.test(text) &&
    /\d\s*[)]*\s*[+\-*/%^]\s*[(r\d.+-]|r\s*[\d(]/.test(text)
    ? text
    : undefined;
};

/** Recursive descent over sums, products, signs and powers. */
const evaluate = (text: string): number | undefined => {
  const tokens = text.match(/\d+(?:\.\d+)?|\.\d+|[+\-*/%^()r]/g) ?? [];
  if (tokens.join('') !== text.replace(/\s/g, '')) return undefined;
  let at = 0;
  const chain = (operand: () => number, signs: Readonly<Record<string, (a: number, b: number) => number>>): number => {
    let value = operand();
    for (let apply = signs[tokens[at] ?? '']; apply !== undefined; apply = signs[tokens[at] ?? '']) {
      at += 1;
      value = apply(value, operand());
    }
    return value;
  };
  const sum = (): number => chain(product, { '+': (a, b) => a + b, '-': (a, b) => a - b });
  const product = (): number => chain(signed, { '*': (a, b) => a * b, '/': (a, b) => a / b, '%': (a, b) => a % b });
  const signed = (): number => {
    if (tokens[at] !== '-' && tokens[at] !== '+') return power();
    at += 1;
    return tokens[at - 1] === '-' ? -signed() : signed();
  };
  const power = (): number => {
    const base = atom();
    if (tokens[at] !== '^') return base;
    at += 1;
    return base ** signed();
  };
  const atom = (): number => {
    const token = tokens[at] ?? '';
    at += 1;
    if (token === 'r') return Math.sqrt(atom());
    if (token !== '(') return token === '' ? Number.NaN : Number(token);
    const value = sum();
    if (tokens[at] !== ')') return Number.NaN;
    at += 1;
    return value;
  };
  const value = sum();
  return at === tokens.length && !Number.isNaN(value) ? value : undefined;
};

/** `17 * 23 = 391`; undefined where the request is no sum. */
export const arithmeticAnswer = (request: string): string | undefined => {
  const expression = expressionIn(request);
  const value = expression === undefined ? undefined : evaluate(expression);
  if (expression === undefined || value === undefined) return undefined;
  const shown = expression.replaceAll('r', '√').replaceAll(/\s*([+*/%^])\s*/g, ' $1 ');
  if (!Number.isFinite(value)) return `${shown} has no value.`;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return `${shown} ≈ ${value}`;
  return `${shown} = ${Number(value.toPrecision(12))}`;
};
