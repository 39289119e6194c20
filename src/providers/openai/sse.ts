/** Server-sent events, as model servers write them: also without the blank line, with CRLF, cut anywhere. */
import { createLineSplitter } from '../lines.ts';

export type SseReader = { push(chunk: string): boolean; end(): void };

export type SseHandler = {
  /**
   * The data of one event; `complete` asks whether text that another data line follows is an event by itself, which
   * servers that leave out the blank line need.
   */
  onData(data: string, event: string): void;
  complete(data: string): boolean;
  /** A line that is no field of the protocol. */
  onForeign(line: string): void;
};

const fieldValue = (line: string, start: number): string =>
  line.charCodeAt(start) === 0x20 ? line.slice(start + 1) : line.slice(start);

export const createSseReader = (handler: SseHandler, maxCharacters: number): SseReader => {
  let data: string | undefined;
  let event = '';
  let first = true;

  const dispatch = (): void => {
    if (data !== undefined) {
      const whole = data;
      data = undefined;
      handler.onData(whole, event);
    }
    event = '';
  };

  const addData = (value: string): void => {
    if (data === undefined) {
      data = value;
    } else if (handler.complete(data)) {
      dispatch();
      data = value;
    } else {
      data += `\n${value}`;
    }
  };

  const readLine = (text: string): void => {
    let line = text;
    if (first) {
      first = false;
      if (line.charCodeAt(0) === 0xfeff) line = line.slice(1);
    }
    if (line === '') dispatch();
    // Nearly every line; a slice is faster than `startsWith`.
    else if (line.slice(0, 5) === 'data:') addData(fieldValue(line, 5));
    else if (line.startsWith('event:')) event = fieldValue(line, 6);
    // Comments keep the connection open; ids and retry times mean nothing here.
    else if (line.startsWith(':') || line.startsWith('id:') || line.startsWith('retry:')) return;
    // Old llama.cpp servers report an error in a field of its own.
    else if (line.startsWith('error:')) handler.onData(fieldValue(line, 6), 'error');
    else handler.onForeign(line);
  };
  const lines = createLineSplitter(readLine, maxCharacters);
  return {
    push: (chunk) => lines.push(chunk) && (data?.length ?? 0) <= maxCharacters,
    end: () => {
      lines.end();
      dispatch();
    },
  };
};
