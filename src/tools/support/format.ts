import { escapeCharacter } from '../../core/invisible.ts';

export { counted, grouped } from '../../core/number-text.ts';

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const;

/** `512 B`, `1.2 KB`, `34 MB` */
export const humanSize = (bytes: number): string => {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit > 0 && value < 10 ? 1 : 0;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
};

const two = (value: number): string => String(value).padStart(2, '0');

/** `2026-11-03 09:05:07` in the local time zone. */
export const localDateTime = (milliseconds: number): string => {
  const date = new Date(milliseconds);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
};

/** ISO 8601 with the local offset: `2026-11-03T09:05:07+01:00`. */
export const isoLocal = (milliseconds: number): string => {
  const offset = -new Date(milliseconds).getTimezoneOffset();
  const sign = offset < 0 ? '-' : '+';
  const minutes = Math.abs(offset);
  const zone = `${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  return `${localDateTime(milliseconds).replace(' ', 'T')}${zone}`;
};

/** A name as one line of a table: control characters, which could fake a row, are spelled out. */
export const printableName = (name: string): string =>
  name.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, escapeCharacter);

/** Why some names stand with `\xNN`. */
export const UNNAMED = 'the name is not UTF-8';
