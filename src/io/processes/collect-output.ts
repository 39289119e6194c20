/** What a command writes: kept up to a limit, read along while it runs, and never cut inside a character. */
import type { ChildProcess } from 'node:child_process';
import type { ProcessRequest, ProcessResult } from '../../core/ports.ts';
import { createCharacterGate, createOutputKeeper, omittedSentence } from './output.ts';
import { createReadMeter } from './read-meter.ts';

export type CollectedOutput = Pick<ProcessResult, 'stdout' | 'stderr' | 'output' | 'truncated'>;
export type OutputCollector = {
  /** Bytes that were read so far. */
  received(): number;
  /** What comes after this is read and dropped. */
  finish(): CollectedOutput;
};

const STREAMS = ['stdout', 'stderr'] as const;

export const collectOutput = (child: ChildProcess, request: ProcessRequest): OutputCollector => {
  const keepers = {
    output: createOutputKeeper(request.maxOutputBytes),
    stdout: createOutputKeeper(request.maxOutputBytes),
    stderr: createOutputKeeper(request.maxOutputBytes),
  };
  let received = 0;
  let isFinished = false;
  const live = liveText(request);
  const meter = createReadMeter();
  const gates = STREAMS.map((name) => {
    const gate = createCharacterGate((bytes) => {
      keepers[name].push(bytes);
      keepers.output.push(bytes);
      live(bytes, name);
    });
    child[name]?.on('data', (chunk: Buffer) => {
      received += chunk.length;
      meter(chunk.length);
      if (!isFinished) gate.push(chunk);
    });
    child[name]?.on('error', () => {
      // A broken pipe ends like a closed one.
    });
    return gate;
  });

  return {
    received: () => received,
    finish() {
      for (const gate of gates) gate.end();
      isFinished = true;
      const { text, omittedBytes, totalBytes } = keepers.output.finish();
      return {
        stdout: keepers.stdout.finish().text,
        stderr: keepers.stderr.finish().text,
        output: text,
        truncated: omittedBytes > 0 ? omittedSentence(omittedBytes, totalBytes) : undefined,
      };
    },
  };
};

/**
 * What is read along while the command runs. Past the limit it is not even made into text; what is kept of the output
 * does not depend on it. The bytes begin and end with whole characters.
 */
const liveText = (request: ProcessRequest): ((bytes: Uint8Array, stream: 'stdout' | 'stderr') => void) => {
  const { onOutput, maxLiveBytes = Number.POSITIVE_INFINITY } = request;
  let left = maxLiveBytes;
  return (bytes, stream) => {
    if (onOutput === undefined || left <= 0) return;
    left -= bytes.length;
    onOutput(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'), stream);
    if (left <= 0) onOutput(LIVE_END, stream);
  };
};
const LIVE_END = '\n[more output comes; it is not shown while the command runs]\n';
