/** A message that was sent and is not in the conversation yet, where it will stand, with how long it takes. */

import { useEffect, useState } from 'react';
import { useApp, useSnapshot } from '../app-context.tsx';
import { counted } from '../parts/format.ts';
import { readable } from '../parts/visible.ts';
import { lostMessages, NEW_PLACE, type Sending } from '../state/sending.ts';
import { companionsOf } from './message-words.ts';

const TICK_MS = 1_000;
const SHOWN_CHARACTERS = 4_000;

/** Those of the session that is shown; what waits for its turn stands in the queue. */
export const useOnItsWay = (): readonly Sending[] => {
  const { sending, settled, sessionId } = useApp();
  const { view } = useSnapshot();
  const here = sending.filter(({ place, isBehind }) => place === (sessionId ?? NEW_PLACE) && !isBehind);
  const shown = lostMessages(here, view);
  const done = here.find((each) => each.isTaken && !shown.includes(each));
  useEffect(() => {
    if (done) settled(done);
  }, [done, settled]);
  return shown;
};

export const OnItsWay = () => (
  <>
    {useOnItsWay().map((message) => (
      <Bubble key={`${message.after} ${message.text}`} message={message} />
    ))}
  </>
);

const Bubble = ({ message }: { message: Sending }) => {
  const { takeBack } = useApp();
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const files = companionsOf(message.content).length;
  return (
    <div className="mt-8 flex flex-col items-end gap-1" data-sending={message.isTaken ? 'taken' : 'coming'}>
      <div dir="auto" className="max-w-[85%] whitespace-pre-wrap rounded bg-hover px-3 py-2 [overflow-wrap:anywhere]">
        {readable(message.text.slice(0, SHOWN_CHARACTERS))}
        {files > 0 && <span className="block text-xs text-soft">with {counted(files, 'file')}</span>}
      </div>
      {/* As high as what stands under a message: nothing jumps when it is there. */}
      <p role="status" className="flex min-h-6 items-center text-xs text-soft pointer-coarse:min-h-10">
        {/* In the usual case it is there before anybody could read this. */}
        {seconds === 0 ? '' : message.isTaken ? 'Sent' : <Waiting seconds={seconds} />}
        {seconds > 0 && !message.isTaken && message.place === NEW_PLACE && (
          <button type="button" className="quiet-button" onClick={takeBack}>
            Take back
          </button>
        )}
      </p>
    </div>
  );
};

const Waiting = ({ seconds }: { seconds: number }) => (
  <span>
    Sending… <span aria-hidden="true">{seconds} s, </span>kept until halter has it
  </span>
);
