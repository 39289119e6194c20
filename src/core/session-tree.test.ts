import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { said } from '../../tests/support/event-bodies.ts';
import { rounds } from '../../tests/support/long.ts';
import type { Event, EventBody } from './events.ts';
import type { AssistantMessage } from './message.ts';
import { projectForModel, projectForPerson } from './project.ts';
import { activePath, branches, givenTitle, messageTree, pathAt } from './session-tree.ts';

const assistant = (content: string): AssistantMessage => ({
  role: 'assistant',
  content,
  tool_calls: [],
  finish: 'stop',
});
const answered = (content: string): EventBody => ({ type: 'assistant_message_added', message: assistant(content) });
const done: EventBody = { type: 'run_completed', sources: [] };
const branch = (atSeq: number): EventBody => ({ type: 'branch_selected', at_seq: atSeq, model: 'm' });
const started: EventBody = { type: 'session_started', version: 1, session_id: 's', workspace: '/w', model: 'm' };
const numbered = (bodies: readonly EventBody[]): Event[] =>
  bodies.map((body, index) => ({ seq: index + 1, at: 0, ...body }));
const texts = (events: readonly Event[]): string[] =>
  projectForModel(events, { system: '', results: 'full', summaryCharacters: 900 }).map(({ content }) =>
    String(content),
  );

//                      1        2          3               4     5          6               7
const conversation = [started, said('a'), answered('A'), done, said('b'), answered('B'), done];

describe('a session as a tree', () => {
  test('goes on from where a branch says, and the rest stays in the log', () => {
    verifies('B5');
    const edited = numbered([...conversation, branch(4), said('c'), answered('C'), done]);
    expect(texts(edited)).toEqual(['a', 'A', 'c', 'C']);
    expect(projectForPerson(edited).map(({ content }) => content)).toEqual(['a', 'A', 'c', 'C']);
    const back = numbered([...conversation, branch(4), said('c'), answered('C'), done, branch(7), said('d')]);
    expect(texts(back)).toEqual(['a', 'A', 'b', 'B', 'd']);
    expect(texts(pathAt(back, 11) as Event[])).toEqual(['a', 'A', 'c', 'C']);
  });

  test('a log without branches is its own path', () => {
    const events = numbered(conversation);
    expect(activePath(events)).toBe(events);
  });

  test('lists every message and every answer that has others beside it, and leads to each', () => {
    const events = numbered([...conversation, branch(4), said('c'), answered('C'), done, branch(9), answered('D')]);
    const nodes = messageTree(events);
    expect(nodes.map(({ kind, text, depth, current }) => [kind, text, depth, current])).toEqual([
      ['message', 'a', 0, true],
      ['message', 'b', 1, false],
      ['message', 'c', 1, true],
      ['answer', 'C', 2, false],
      ['answer', 'D', 2, true],
    ]);
    for (const { head_seq, text } of nodes.slice(1)) expect(texts(pathAt(events, head_seq) as Event[])).toContain(text);
    expect(messageTree([])).toEqual([]);
  });

  test('shows at which messages there is another way on, and how to get there', () => {
    verifies('B5');
    const events = numbered([...conversation, branch(4), said('c'), answered('C'), done, branch(9), answered('D')]);
    expect(branches(events)).toEqual([
      {
        kind: 'message',
        at_seq: 4,
        alternatives: [
          { seq: 5, head_seq: 7, text: 'b', current: false },
          { seq: 9, head_seq: 13, text: 'c', current: true },
        ],
      },
      {
        kind: 'answer',
        at_seq: 9,
        alternatives: [
          { seq: 10, head_seq: 11, text: 'C', current: false },
          { seq: 13, head_seq: 13, text: 'D', current: true },
        ],
      },
    ]);
    // What was left aside has its own branches; they are shown when one is there.
    const back = numbered([
      ...conversation,
      branch(4),
      said('c'),
      answered('C'),
      done,
      branch(9),
      answered('D'),
      branch(7),
    ]);
    expect(branches(back).map(({ at_seq }) => at_seq)).toEqual([4]);
  });

  test('a change of the model between two ways on does not make them ways on from different places', () => {
    const changed: EventBody = { type: 'model_changed', model: 'n' };
    const events = numbered([started, said('a'), answered('A'), done, changed, said('b'), done, branch(4), said('c')]);
    expect(branches(events)).toMatchObject([{ at_seq: 4, alternatives: [{ seq: 6 }, { seq: 9 }] }]);
  });

  test('the name that was given last counts, on whatever branch it was given', () => {
    const events = numbered([
      ...conversation,
      { type: 'session_renamed', title: 'first' },
      { type: 'session_renamed', title: 'second' },
      branch(1),
      said('x'),
    ]);
    expect(givenTitle(events)).toBe('second');
    expect(givenTitle(numbered(conversation))).toBeUndefined();
    expect(givenTitle(numbered([...conversation, { type: 'session_renamed', title: '' }]))).toBeUndefined();
  });

  test('holds for any log, damaged ones too: paths only go back, and the path of a path is the same', () => {
    verifies('B5');
    const anyLog = fc.array(fc.oneof(fc.nat(30).map(branch), fc.constantFrom(said('x'), answered('y'), done)), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(anyLog, fc.array(fc.boolean(), { maxLength: 30 }), (bodies, leftOut) => {
        const events = numbered(bodies).filter((_, index) => leftOut[index] !== true);
        const path = activePath(events);
        expect(path.at(-1)).toEqual(events.at(-1));
        for (let index = 1; index < path.length; index += 1) {
          expect((path[index] as Event).seq).toBeGreaterThan((path[index - 1] as Event).seq);
        }
        expect(activePath(path)).toEqual(path);
        for (const point of branches(events)) {
          expect(point.alternatives.length).toBeGreaterThan(1);
          expect(point.alternatives.filter(({ current }) => current).length).toBeLessThanOrEqual(1);
          for (const { seq, head_seq } of point.alternatives) {
            expect(pathAt(events, head_seq).map((event) => event.seq)).toContain(seq);
          }
        }
      }),
      { numRuns: rounds(333, 10_000) },
    );
  });
});
