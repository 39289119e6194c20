/** The formats of JSON Schema that have a form everyone agrees on. What is not here is a note, as the standard says. */

type Format = { example: string; fits(text: string): boolean };

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:\.\d+)?)?(?:z|[+-]\d{2}:?\d{2})?$/i;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** A day that there is: the calendar brings others to the next month. */
const isDate = (text: string): boolean => {
  const day = new Date(`${text}T00:00:00Z`);
  return DATE.test(text) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
};
const isTime = (text: string): boolean => TIME.test(text);

const isIpv6 = (text: string): boolean => {
  const [head = '', tail, ...more] = text.split('::');
  if (more.length > 0) return false;
  const groups = [head, tail ?? ''].flatMap((part) => (part === '' ? [] : part.split(':')));
  const last = groups.at(-1) ?? '';
  const count = groups.length + (last.includes('.') ? 1 : 0);
  const areGroups = groups.every(
    (group, index) => /^[0-9a-f]{1,4}$/i.test(group) || (index === groups.length - 1 && IPV4.test(group)),
  );
  return areGroups && (tail === undefined ? count === 8 : count < 8);
};

const isExpression = (text: string): boolean => {
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
};

const FORMATS: Readonly<Record<string, Format>> = {
  date: { example: '2026-01-31', fits: isDate },
  time: { example: '13:45:00Z', fits: isTime },
  'date-time': {
    example: '2026-01-31T13:45:00Z',
    fits: (text) => /[T ]/i.test(text.charAt(10)) && isDate(text.slice(0, 10)) && isTime(text.slice(11)),
  },
  duration: {
    example: 'P1DT12H',
    fits: (text) =>
      /^P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?)$/.test(text),
  },
  email: { example: 'name@example.com', fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text) },
  hostname: {
    example: 'example.com',
    fits: (text) => text.length <= 253 && text.split('.').every((label) => LABEL.test(label)),
  },
  ipv4: { example: '192.0.2.1', fits: (text) => IPV4.test(text) },
  ipv6: { example: '2001:db8::1', fits: isIpv6 },
  uri: { example: 'https://example.com/path', fits: (text) => /^[a-z][a-z0-9+.-]*:[^\s]*$/i.test(text) },
  url: { example: 'https://example.com/path', fits: (text) => /^[a-z][a-z0-9+.-]*:[^\s]*$/i.test(text) },
  uuid: {
    example: '123e4567-e89b-12d3-a456-426614174000',
    fits: (text) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
  },
  regex: { example: '^a+$', fits: isExpression },
  'json-pointer': { example: '/a/0', fits: (text) => /^(?:\/(?:[^~/]|~[01])*)*$/.test(text) },
};

/** An example of the format where the text is not of it; undefined where it is, and for formats that are not known. */
export const unlike = (format: string, text: string): string | undefined => {
  const known = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  return known === undefined || known.fits(text) ? undefined : known.example;
};
