/**
 * Every fault that a function of a program can have, played on whatever takes such a function. The chat ends with a result
 * or with an error of the list, which says what was wrong; the harness can be used afterwards and closes; nothing runs that
 * was not allowed, and nothing escapes into the process.
 */
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { HalterError, ModelFailure, OpenFailure, RunStopped } from '../../src/core/errors.ts';
import { defineTool } from '../../src/core/tool/define-tool.ts';
import { createHarness } from '../../src/harness/create-harness.ts';
import type { HarnessOptions } from '../../src/harness/options.ts';
import { type ScriptedProviderSource, scriptedProvider } from '../../src/testing/index.ts';
import { watchEscapedErrors } from './escaped-errors.ts';
import { inTurn } from './long.ts';
import { scratchFolder } from './scratch.ts';

export type Callback = (...given: never[]) => never;
export type Setup = { options?: object; chat?: object; server?: { close(): unknown } };
export type Place = {
  /** The harness and the message that have the function. */
  given(callback: Callback): Setup | Promise<Setup>;
  /** What it does where it is right. */
  good: (...given: never[]) => unknown;
  /** Of what is wrong elsewhere, what is right here. */
  right?: readonly string[];
  /** What shows a program that the function was wrong; undefined: it may give anything. */
  told?: RegExp;
  /** An error of the program's own goes on to the program. */
  throwsOn?: true;
  /** It has to answer at once, so that a promise is something wrong. */
  isSync?: true;
  /** Where it was wrong it is not asked again: it would be wrong again. */
  once?: true;
  /** It is asked when the harness closes, which is told of as a warning. */
  isLate?: true;
  /** The most that it could allow, where that is more than `good` does. */
  most?: string;
  /** Nobody hears of a failure: it is the one who is told. */
  isLast?: true;
};

const holdsItself: Record<string, unknown> = {};
holdsItself['self'] = holdsItself;
/** Fails whatever is asked of it. */
const trapped = (): unknown => {
  const fail = (): never => {
    throw new Error('no idea');
  };
  return new Proxy({}, { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail, getOwnPropertyDescriptor: fail });
};
const throwing = (thrown: unknown) => (): never => {
  throw thrown;
};
export const WRONG: Readonly<Record<string, () => unknown>> = {
  throws: throwing(new Error('no idea')),
  'throws nothing': throwing(undefined),
  'throws what has no words': throwing(Object.create(null)),
  rejects: () => Promise.reject(new Error('no idea')),
  'rejects with nothing': () => Promise.reject(undefined),
  'rejects with a trap': () => Promise.reject(trapped()),
  'gives what fails when it is awaited': () => ({
    // biome-ignore lint/suspicious/noThenProperty: that is what is wrong with it
    get then() {
      throw new Error('no idea');
    },
  }),
  'gives undefined': () => undefined,
  'gives null': () => null,
  'gives a number': () => 5,
  'gives no number': () => Number.NaN,
  'gives a big integer': () => 5n,
  'gives an empty text': () => '',
  'gives a word': () => 'odd',
  'gives true': () => true,
  'gives false': () => false,
  'gives a symbol': () => Symbol('odd'),
  'gives a function': () => () => 1,
  'gives an empty list': () => [],
  'gives numbers': () => [5],
  'gives words': () => ['odd'],
  'gives a list with nothing in it': () => [undefined],
  'gives a list with a trap': () => [trapped()],
  'gives an empty object': () => ({}),
  'gives another object': () => ({ odd: 1 }),
  'gives what holds itself': () => holdsItself,
  'gives a date': () => new Date(0),
  'gives a trap': trapped,
  'gives what fails as JSON': () => ({
    toJSON() {
      throw new Error('no idea');
    },
  }),
  'gives what is itself as JSON': () => {
    const itself = { toJSON: (): unknown => itself };
    return itself;
  },
  'gives a part that fails when it is read': () => ({
    get summary() {
      throw new Error('no idea');
    },
    get success() {
      throw new Error('no idea');
    },
    get ok() {
      throw new Error('no idea');
    },
    get value() {
      throw new Error('no idea');
    },
    get odd() {
      throw new Error('no idea');
    },
  }),
  'gives a big integer within': () => ({ odd: [5n] }),
  'gives a map': () => new Map([[{}, 5n]]),
  'gives what fails while it is gone through': async function* () {
    yield 'odd';
    throw new Error('no idea');
  },
  'gives a revoked proxy': () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  'promises a number': async () => 5,
  'promises undefined': async () => undefined,
};
export const NOTHING = ['gives undefined', 'gives null', 'promises undefined'] as const;

export const EMPTY = { type: 'object', properties: {} } as const;
let ran: string[] = [];
export const look = (more: object = {}) =>
  defineTool({ name: 'look', description: 'Looks', risk: 'safe', parameters: EMPTY, run: () => 'a sea', ...more });
export const harm = defineTool({
  name: 'harm',
  description: 'Harms',
  risk: 'high',
  parameters: EMPTY,
  run: () => void ran.push('harm'),
});
export const calls = [
  { name: 'look', arguments: {} },
  { name: 'harm', arguments: {} },
];
export const PLAIN: readonly ScriptedProviderSource[] = Array.from({ length: 6 }, () => ({ text: '{"n":1}' }));
export const own = (first: ScriptedProviderSource = { calls }) =>
  scriptedProvider([first, ...PLAIN], { models: [{ id: 'm' }] });
/** Denies what it is asked about with the preview as its reason. */
export const deniesPreviewed = {
  onPermission: ({ preview }: { preview?: { summary: string } }) => ({
    decision: 'deny',
    reason: String(preview?.summary),
  }),
};
/** What a preview gives, and what is told where it gives something else. */
export const PREVIEWS = {
  good: () => ({ summary: 'looks' }),
  right: ['gives undefined', 'promises undefined'],
  told: /no preview: /,
};
export const deniesHarm = { onPermission: ({ name }: { name: string }) => (name === 'harm' ? 'deny' : 'allow_once') };

const LISTED = [HalterError, ModelFailure, OpenFailure, RunStopped, TypeError, DOMException];
/** Words of the machine about code that trusted a value. */
const DEFECT =
  /is not a function|is not iterable|Cannot (?:read|destructure|convert)|could not be cloned|is not defined|must be made \(\)/;

/** A harness with that function, and what came of each of its chats in words. */
const openWith = async (place: Place, callback: Callback) => {
  const { options = {}, chat = {}, server } = await place.given(callback);
  const warnings: string[] = [];
  const { io = {}, ...rest } = options as { io?: object };
  const harness = createHarness({
    model: 'm',
    ...('model' in rest ? {} : { provider: own() }),
    workspace: scratchFolder(),
    tools: [look(), harm],
    ...rest,
    io: { onWarning: (code: string, message: string) => void warnings.push(`${code}: ${message}`), ...io },
  } as unknown as HarnessOptions);
  onTestFinished(async () => {
    await harness.close();
    await server?.close();
  });
  const say = async (): Promise<{ error: unknown; words: string }> => {
    try {
      const { toolCalls, warnings: more } = await harness.chat('Go', chat);
      return { error: undefined, words: JSON.stringify([toolCalls, more, warnings]) };
    } catch (error) {
      return { error, words: [(error as Error | undefined)?.message, ...warnings].join('\n') };
    }
  };
  return { harness, say, warnings };
};
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Every sixth in turn, so that each function and each fault has its part; a long run plays all. */
const SHARES = 6;
const faultsAt = (index: number) => inTurn(Object.entries(WRONG), index % SHARES, SHARES);
const LATE = ['never', 'when the harness is closed'] as const;
const lateIn = (warnings: readonly string[], { isLate }: Place): string[] =>
  warnings.filter((text) => text.startsWith('close_failed') && !isLate);

/** Plays every fault on each of the places, as tests of the file that asks for it. */
export const playWrong = (places: Readonly<Record<string, Place>>): void => {
  const escaped = watchEscapedErrors();
  beforeEach(() => {
    ran = [];
  });
  const placed = Object.entries(places).map(([name, place], index) => [name, place, index] as const);
  describe.each(placed)('%s', (_name, place, index) => {
    test.each(faultsAt(index))('that %s', async (what, misbehave) => {
      let isWrong = true;
      let asked = 0;
      const thrown: unknown[] = [];
      const callback = (...given: never[]): unknown => {
        asked += 1;
        try {
          return isWrong ? misbehave() : place.good(...given);
        } catch (error) {
          thrown.push(error);
          throw error;
        }
      };
      const { harness, say, warnings } = await openWith(place, callback as Callback);
      const { error, words } = await say();
      if (error instanceof RunStopped && error.reason === 'error') {
        expect(error).toHaveProperty('cause');
        if (thrown.length > 0) expect(thrown).toContain(error.cause);
        else if (what === 'rejects' && !place.isSync) expect(error.cause).toMatchObject({ message: 'no idea' });
      }
      const listed = [...LISTED, ...(place.throwsOn ? [Error] : [])];
      expect(error === undefined || listed.some((kind) => error instanceof kind), words).toBe(true);
      expect(words).not.toMatch(DEFECT);
      const isRight = place.right?.includes(what) === true;
      const fails = (place.isSync ? /throws/ : /throws|rejects|awaited/).test(what);
      if (fails && /^(?:throws|rejects)$/.test(what) && !place.isLast && !place.isLate)
        expect(words).toContain('no idea');
      else if (!fails && !isRight && place.told)
        expect(words).toMatch(new RegExp(`${place.told.source}|no idea|has been revoked`));
      if (place.once && !isRight) expect(asked).toBe(1);
      isWrong = false;
      expect((await say()).error).toBeUndefined();
      await harness.close();
      expect(asked).toBeGreaterThan(0);
      await settled();
      expect({ ran, escaped: escaped(), late: lateIn(warnings, place) }).toEqual({
        ran: [],
        escaped: [],
        late: [],
      });
    });

    test.each(inTurn(LATE, index % LATE.length, LATE.length))('that answers %s', async (when) => {
      const asked = Promise.withResolvers<void>();
      const answer = Promise.withResolvers<unknown>();
      const callback = (): unknown => {
        asked.resolve();
        return answer.promise;
      };
      const { harness, say, warnings } = await openWith(place, callback as Callback);
      const chat = say();
      await Promise.race([asked.promise, chat]);
      await harness.close();
      const { error } = await chat;
      if (error !== undefined)
        expect(
          LISTED.some((kind) => error instanceof kind),
          String(error),
        ).toBe(true);
      // The most that any of them could allow.
      if (when !== 'never') answer.resolve(place.most !== undefined ? place.most : place.isSync || place.good());
      await settled();
      await settled();
      expect({ ran, escaped: escaped(), late: lateIn(warnings, place) }).toEqual({
        ran: [],
        escaped: [],
        late: [],
      });
    });
  });
};
