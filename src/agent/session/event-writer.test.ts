import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { Event } from '../../core/events.ts';
import { failure, succeed } from '../../core/outcome.ts';
import { EventWriter } from './event-writer.ts';

const event = (seq: number): Event => ({ seq, at: 0, type: 'user_message_added', content: `message ${seq}` });

/** A log on a disk that is full at times. */
const made = () => {
  const written: number[] = [];
  const warned: string[] = [];
  const disk = { isFull: false, throws: false, isClosed: false };
  const writer = new EventWriter(
    {
      append: async ({ seq }) => {
        if (disk.throws) throw new Error('gone');
        if (disk.isFull) return failure('io_error', 'the disk is full');
        written.push(seq);
        return succeed(undefined);
      },
      close: async () => {
        disk.isClosed = true;
      },
    },
    (code) => warned.push(code),
  );
  return { written, warned, disk, writer };
};

describe('the writing of a session', () => {
  it.each(['isFull', 'throws'] as const)('loses nothing to a disk that is full for a while: %s', async (fault) => {
    verifies('B5', 'L8');
    const { written, warned, disk, writer } = made();
    await writer.write(event(1));
    disk[fault] = true;
    await writer.write(event(2));
    await writer.write(event(3));
    expect(writer.isBehind).toBe(true);
    expect(warned).toEqual(['session_not_written']);
    disk[fault] = false;
    await writer.write(event(4));
    expect(written).toEqual([1, 2, 3, 4]);
    expect(writer.isBehind).toBe(false);
    expect(warned).toEqual(['session_not_written', 'session_written_again']);
  });

  it('says which of two events counts: the late one only where it was written itself', async () => {
    verifies('B5', 'L8');
    const late = { ...event(2), at: 1 };
    for (const [fails, counts] of [
      [[false, true, false], 0],
      [[false, false, false], 1],
      [[true, false, false], 0],
    ] as const) {
      const answers = [...fails];
      const writer = new EventWriter(
        {
          append: async () => (answers.shift() ? failure('io_error', 'the disk is full') : succeed(undefined)),
          close: async () => {},
        },
        () => {},
      );
      // The one before cannot be written at first.
      answers.unshift(true);
      await writer.write(event(1));
      const said = await writer.write(event(2), late);
      expect([fails, said.at]).toEqual([fails, counts]);
      expect(writer.isBehind).toBe(counts === 0);
    }
  });

  it('tries once more at the end, and says what is not saved then', async () => {
    verifies('B5', 'L8');
    const late = made();
    late.disk.isFull = true;
    await late.writer.write(event(1));
    late.disk.isFull = false;
    await late.writer.close();
    expect(late.written).toEqual([1]);
    const never = made();
    never.disk.isFull = true;
    await never.writer.write(event(1));
    await expect(never.writer.close()).rejects.toThrow('the last 1 event of this session could not be saved');
    expect(never.disk.isClosed).toBe(true);
  });
});
