/**
 * A first look at a GGUF file: the header that every such file begins with, and a size that can hold what it announces.
 * The model folder is the one place that this provider reads itself; it holds no file of the person's.
 */

import { openModelFile } from '../gguf/open-file.ts';
import type { EngineFailure } from './engine.ts';
import { EMBEDDED_LIMITS } from './limits.ts';

type Checked = { ok: true } | { ok: false; error: EngineFailure };

const broken = (file: string, what: string): Checked => ({
  ok: false,
  error: {
    code: 'load_failed',
    message: `The model file ${file} ${what}.`,
    hint: 'Remove it and pull it again (`halter models pull starter`), or name another GGUF file.',
  },
});

export const checkGguf = async (file: string): Promise<Checked> => {
  let handle: Awaited<ReturnType<typeof openModelFile>>;
  try {
    handle = await openModelFile(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    return {
      ok: false,
      error: {
        code: code === 'ENOENT' ? 'model_not_found' : 'load_failed',
        message:
          code === 'ENOENT' ? `There is no model file ${file}.` : `The model file ${file} cannot be read (${code}).`,
        hint: 'Pull the starter model (`halter models pull starter`), or name a GGUF file that is there.',
      },
    };
  }
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return broken(file, 'is not a regular file');
    const header = Buffer.alloc(EMBEDDED_LIMITS.ggufHeaderBytes);
    const { bytesRead } = await handle.read(header, 0, header.length, 0);
    if (bytesRead < header.length) return broken(file, 'is cut short: it has no whole GGUF header');
    if (header.toString('latin1', 0, 4) !== 'GGUF') return broken(file, 'is not a GGUF file');
    const version = header.readUInt32LE(4);
    if (version < 2 || version > 3) return broken(file, `is GGUF version ${version}, and this engine reads 2 and 3`);
    const tensors = header.readBigUInt64LE(8);
    const pairs = header.readBigUInt64LE(16);
    // Each tensor and each pair of metadata takes more bytes than this.
    if ((tensors + pairs) * 12n > BigInt(stat.size)) return broken(file, 'is cut short or damaged');
    return { ok: true };
  } finally {
    await handle.close();
  }
};
