/**
 * Reads a text once, with all ways that an expression may go at the same time (Thompson's construction). What must stand
 * before or behind a place is worked out for all places by readings of its own: before it forward, behind it backward.
 */
import { SCHEMA_LIMITS } from '../limits.ts';
import type { Part } from './parse.ts';

/** How many steps are left. Shared by all texts of a value. */
export type Steps = { left: number };

type State =
  | { kind: 'one'; fits(code: number): boolean; next: number }
  | { kind: 'split'; next: number; other: number }
  | { kind: 'place'; holds(codes: Uint32Array, at: number): boolean; next: number }
  | { kind: 'look'; look: Look; next: number }
  | { kind: 'found' };
type Look = { machine: Machine; wanted: boolean };
type Machine = { states: readonly State[]; start: number; isForward: boolean };

/** Whether it matches anywhere in the text; undefined where the steps do not reach. Undefined itself for too many parts. */
export const firstMatch = (part: Part): ((codes: Uint32Array, steps: Steps) => boolean | undefined) | undefined => {
  const room = { left: SCHEMA_LIMITS.expressionParts };
  const machine = new Builder(room, true).machine(part);
  if (room.left < 0) return undefined;
  return (codes, steps) => new Reading(codes, steps).isFound(machine);
};

/** Builds from the end, so that every state knows the next. Backward, a sequence is read from its last part on. */
class Builder {
  readonly #states: State[] = [{ kind: 'found' }];
  readonly #looks = new Map<Part, Look>();
  readonly #room: { left: number };
  readonly #isForward: boolean;

  constructor(room: { left: number }, isForward: boolean) {
    this.#room = room;
    this.#isForward = isForward;
  }

  machine(part: Part): Machine {
    const start = this.#add(part, 0);
    return { states: this.#states, start, isForward: this.#isForward };
  }

  #add(part: Part, next: number): number {
    this.#room.left -= 1;
    if (this.#room.left < 0) return next;
    switch (part.kind) {
      case 'one':
        return this.#push({ kind: 'one', fits: part.fits, next });
      case 'place':
        return this.#push({ kind: 'place', holds: part.holds, next });
      case 'look':
        return this.#push({ kind: 'look', look: this.#look(part), next });
      case 'sequence':
        return this.#isForward
          ? part.parts.reduceRight((behind, each) => this.#add(each, behind), next)
          : part.parts.reduce((behind, each) => this.#add(each, behind), next);
      case 'choice':
        return part.parts
          .map((each) => this.#add(each, next))
          .reduceRight((other, each) => this.#push({ kind: 'split', next: each, other }));
      case 'repeated':
        return this.#repeated(part, next);
    }
  }

  #repeated({ part, least, most }: Extract<Part, { kind: 'repeated' }>, next: number): number {
    let start = next;
    if (most === Infinity) {
      const loop: State = { kind: 'split', next: 0, other: next };
      start = this.#push(loop);
      loop.next = this.#add(part, start);
    } else
      for (let count = least; count < most && this.#room.left >= 0; count += 1)
        start = this.#push({ kind: 'split', next: this.#add(part, start), other: next });
    for (let count = 0; count < least && this.#room.left >= 0; count += 1) start = this.#add(part, start);
    return start;
  }

  /** A part that is repeated has its look once. */
  #look(part: Extract<Part, { kind: 'look' }>): Look {
    const known = this.#looks.get(part);
    if (known !== undefined) return known;
    const look = { machine: new Builder(this.#room, !part.ahead).machine(part.part), wanted: part.wanted };
    this.#looks.set(part, look);
    return look;
  }

  #push(state: State): number {
    return this.#states.push(state) - 1;
  }
}

class Reading {
  readonly #codes: Uint32Array;
  readonly #steps: Steps;
  readonly #places = new Map<Look, Uint8Array>();

  constructor(codes: Uint32Array, steps: Steps) {
    this.#codes = codes;
    this.#steps = steps;
  }

  isFound(machine: Machine): boolean | undefined {
    const found = this.#read(machine, () => true);
    return this.#steps.left < 0 ? undefined : found;
  }

  /** Says each place where it ends, and ends itself when it is told to. True where it was. */
  #read({ states, start, isForward }: Machine, ends: (at: number) => boolean): boolean {
    const { length } = this.#codes;
    /** In which round a state was reached last. */
    const reached = new Uint32Array(states.length);
    let open: number[] = [];
    let next: number[] = [];
    for (let round = 1; round <= length + 1; round += 1) {
      const at = isForward ? round - 1 : length + 1 - round;
      const code = this.#codes[isForward ? at : at - 1];
      open.push(start);
      for (let index = open.pop(); index !== undefined; index = open.pop()) {
        if (reached[index] === round) continue;
        reached[index] = round;
        this.#steps.left -= 1;
        if (this.#steps.left < 0) return false;
        const state = states[index] as State;
        if (state.kind === 'found') {
          if (ends(at)) return true;
        } else if (state.kind === 'one') {
          if (code !== undefined && state.fits(code)) next.push(state.next);
        } else if (state.kind === 'split') open.push(state.other, state.next);
        else if (state.kind === 'place' ? state.holds(this.#codes, at) : this.#holds(state.look, at))
          open.push(state.next);
      }
      [open, next] = [next, open];
    }
    return false;
  }

  #holds(look: Look, at: number): boolean {
    const known = this.#places.get(look) ?? this.#placesOf(look.machine);
    this.#places.set(look, known);
    return (known[at] === 1) === look.wanted;
  }

  #placesOf(machine: Machine): Uint8Array {
    const places = new Uint8Array(this.#codes.length + 1);
    this.#read(machine, (at) => {
      places[at] = 1;
      return false;
    });
    return places;
  }
}
