/**
 * A stream as far as there is a place for it. With one it stays open. Without, it is opened, read up to `ready`, closed,
 * and opened again a moment later behind what was told: nothing is missed and nothing comes twice, whatever becomes of the
 * other windows, since each hears all from the server itself.
 */
import { type EventStream, openEvents, type ServerEvent } from './server-events.ts';
import { inThisBrowser, type Place, type PlacePorts, turnToLook } from './stream-place.ts';

const LOOK_MS = 1_000;
/** The first look waits a little for what the server finds out behind `ready`, such as the model. */
const FIRST_MS = 500;

type Handlers = {
  /** Called before each opening: the path, behind what was told. */
  begin(): string;
  onEvent(event: ServerEvent): void;
  /** Called once when it broke off, with the status of the answer. */
  onEnd(status: number | undefined): void;
};

/** What is done at a moment when the place is had or lost, and when the stream is closed here. */
type Moment = { turned(): void; stop(): void };

const wait = (moment: Moment, ms: number, isDone: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    moment.stop = () => {
      clearTimeout(timer);
      resolve();
    };
    moment.turned = () => {
      if (isDone()) moment.stop();
    };
    moment.turned();
  });

type Reading = { send: typeof fetch; place: Place; handlers: Handlers; isFirst: boolean };

/** Resolves with `looked` once it was read up to `ready` and there is no place to stay. */
const read = (
  moment: Moment,
  { send, place, handlers, isFirst }: Reading,
): Promise<'looked' | { status: number | undefined }> =>
  new Promise((resolve) => {
    const hasPlace = place.isHeld();
    // What is on the page stays as it is until all of it can be told anew.
    let told: ServerEvent[] | undefined = isFirst || hasPlace ? undefined : [];
    let isReady = false;
    moment.turned = () => {
      // Who began with a place has no turn to look.
      if ((isReady || hasPlace) && !place.isHeld()) moment.stop();
    };
    const stream = openEvents(send, handlers.begin(), {
      onEvent(event) {
        if (told) told.push(event);
        else handlers.onEvent(event);
        if (event.type !== 'ready' || isReady) return;
        isReady = true;
        const all = told ?? [];
        told = undefined;
        for (const each of all) handlers.onEvent(each);
        if (isFirst) setTimeout(() => moment.turned(), FIRST_MS);
        else moment.turned();
      },
      onEnd: (status) => resolve({ status }),
    });
    moment.stop = () => {
      stream.close();
      resolve('looked');
    };
  });

export const openPlaced = (
  send: typeof fetch,
  place: Place,
  handlers: Handlers,
  ports: PlacePorts = inThisBrowser,
): EventStream => {
  const moment: Moment = { turned() {}, stop() {} };
  let isOver = false;
  place.listen(() => moment.turned());
  const run = async (): Promise<void> => {
    for (let isFirst = true; !isOver; isFirst = false) {
      const endTurn = place.isHeld() ? undefined : await turnToLook(ports);
      const end = isOver ? 'looked' : await read(moment, { send, place, handlers, isFirst });
      endTurn?.();
      if (end !== 'looked') {
        if (!isOver) handlers.onEnd(end.status);
        return;
      }
      await wait(moment, isOver ? 0 : LOOK_MS, place.isHeld);
    }
  };
  void run();
  return {
    close() {
      isOver = true;
      moment.stop();
    },
  };
};
