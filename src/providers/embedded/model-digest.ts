/** Tells a model file from every other without reading gigabytes: its size, its beginning, and pieces from all over it. */
import { createHash } from 'node:crypto';
import { openModelFile } from '../gguf/open-file.ts';
import { EMBEDDED_LIMITS } from './limits.ts';

/** The same for the same file on every machine. Undefined where the file cannot be read. */
export const modelDigest = async (file: string): Promise<string | undefined> => {
  const handle = await openModelFile(file).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const { size } = await handle.stat();
    const hash = createHash('sha256').update(`${size}`);
    const { digestPieces, digestPieceBytes } = EMBEDDED_LIMITS;
    const piece = Buffer.alloc(digestPieceBytes);
    for (let index = 0; index < digestPieces; index += 1) {
      const at = Math.floor((Math.max(0, size - digestPieceBytes) * index) / (digestPieces - 1));
      const { bytesRead } = await handle.read(piece, 0, piece.length, at);
      hash.update(piece.subarray(0, bytesRead));
    }
    return hash.digest('hex');
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
};
