/** What lies in a file of the folder, where that decides whether an option that names it carries anything. */
import { closeSync, lstatSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import type { FileKind } from './objections/harmless-files.ts';

/** The name of what a compiler makes, which no program looks for by itself. */
const PRODUCT =
  /^(?!.*(?:file|wscript|configure|gradlew|mvnw)$)[a-z0-9][a-z0-9_-]*(?:\.(?:exe|out|o|so|a|dylib|wasm|test|prof|cov))?$/i;
const PRODUCT_FOLDER = /^(?!node_modules$|venv$|env$)[A-Za-z0-9_][\w.-]*$/;
/** Programs and libraries of the known systems, and Go's profiles. */
const BEGINNINGS = ['\x7fELF', 'MZ', '\xcf\xfa\xed\xfe', '\xca\xfe\xba\xbe', '!<arch>', '\0asm', 'mode: ', '\x1f\x8b'];

const PACKAGE =
  /^[A-Za-z0-9][\w.-]*(?:\[[\w,. -]+\])?\s*(?:(?:[=!~<>]=?|===)\s*[\w.*+-]+\s*,?\s*)*(?:;[^#\\]*)?(?:\s+#.*)?$/;
const PACKAGES_BYTES_MAX = 65_536;

/** `place`: where the name leads, from the root on. */
export const carriesNothing = (root: string, place: string, kind: FileKind): boolean => {
  const file = path.join(root, place);
  if (kind === 'packages') return textOf(file, PACKAGES_BYTES_MAX)?.split(/\r?\n/).every(isPackage) === true;
  const [name = '', ...folders] = place.split('/').reverse();
  if (!PRODUCT.test(name) || !folders.every((folder) => PRODUCT_FOLDER.test(folder))) return false;
  const beginning = textOf(file, 8);
  return beginning === undefined ? isAbsent(file) : BEGINNINGS.some((each) => beginning.startsWith(each));
};

const isPackage = (line: string): boolean =>
  line.length <= LINE_MAX && (/^\s*(?:#.*)?$/.test(line) || PACKAGE.test(line.trim()));
const LINE_MAX = 500;

const isAbsent = (file: string): boolean => {
  try {
    lstatSync(file);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
};

/** Undefined for what is no file, or too long where the whole is wanted. */
const textOf = (file: string, bytes: number): string | undefined => {
  try {
    const stats = lstatSync(file);
    if (!stats.isFile() || (bytes === PACKAGES_BYTES_MAX && stats.size > bytes)) return undefined;
    const opened = openSync(file, 'r');
    try {
      const buffer = Buffer.alloc(Math.min(bytes, stats.size));
      return buffer.toString('latin1', 0, readSync(opened, buffer, 0, buffer.length, 0));
    } finally {
      closeSync(opened);
    }
  } catch {
    return undefined;
  }
};
