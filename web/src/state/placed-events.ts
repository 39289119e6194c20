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

export const openPlaced = (
  send: typeof fetch,
  place: Place,
  { begin, onEvent, onEnd }: Handlers,
  ports: PlacePorts = inThisBrowser,
): EventStream => {
  const over = new AbortController();
  let isFirst = true;
  /** What is done when the place is had or lost, and when the stream is closed here. */
  let turned = (): void => {};
  let stop = (): void => {};
  place.listen(() => turned());

  const wait = (ms: number, isDone: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      stop = () => {
        clearTimeout(timer);
        resolve();
      };
      turned = () => {
        if (isDone()) stop();
      };
      turned();
    });

  /** Resolves with `looked` once it was read up to `ready` and there is no place to stay. */
  const read = (): Promise<'looked' | { status: number | undefined }> =>
    new Promise((resolve) => {
      const hasPlace = place.isHeld();
      // What is on the page stays as it is until all of it can be told anew.
      let told: ServerEvent[] | undefined = isFirst || hasPlace ? undefined : [];
      let isReady = false;
      const stayOrGo = (): void => {
        // Who began with a place has no turn to look.
        if ((isReady || hasPlace) && !place.isHeld()) stop();
      };
      turned = stayOrGo;
      const stream = openEvents(send, begin(), {
        onEvent(event) {
          if (told) told.push(event);
          else onEvent(event);
          if (event.type !== 'ready' || isReady) return;
          isReady = true;
          const all = told ?? [];
          told = undefined;
          for (const each of all) onEvent(each);
          if (isFirst) setTimeout(stayOrGo, FIRST_MS);
          else stayOrGo();
          isFirst = false;
        },
        onEnd: (status) => resolve({ status }),
      });
      stop = () => {
        stream.close();
        resolve('looked');
      };
    });

  const run = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const endTurn = place.isHeld() ? undefined : await turnToLook(ports);
      const end = over.signal.aborted ? 'looked' : await read();
      endTurn?.();
      if (end !== 'looked') {
        if (!over.signal.aborted) onEnd(end.status);
        return;
      }
      await wait(LOOK_MS, place.isHeld);
    }
  };
  void run();
  return {
    close() {
      over.abort();
      stop();
    },
  };
};
