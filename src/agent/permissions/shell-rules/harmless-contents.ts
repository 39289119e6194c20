/** What lies in a file of the folder, where that decides whether an option that names it carries anything. */
import { closeSync, constants, lstatSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import type { FileKind } from './objections.ts';
import { readSmall } from './repositories.ts';

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
  if (kind === 'packages') return whatIsAt(file) === 'file' && listsPackages(file);
  const [name = '', ...folders] = place.split('/').reverse();
  if (!PRODUCT.test(name) || !folders.every((folder) => PRODUCT_FOLDER.test(folder))) return false;
  const there = whatIsAt(file);
  return there === 'nothing' || (there === 'file' && isProduct(file));
};

/** A link is no file. */
const whatIsAt = (file: string): 'file' | 'nothing' | 'other' => {
  try {
    return lstatSync(file).isFile() ? 'file' : 'other';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'nothing' : 'other';
  }
};

const listsPackages = (file: string): boolean => {
  const text = readSmall(file, PACKAGES_BYTES_MAX);
  return typeof text === 'string' && text.split(/\r?\n/).every(isPackage);
};

const isPackage = (line: string): boolean =>
  line.length <= LINE_MAX && (/^\s*(?:#.*)?$/.test(line) || PACKAGE.test(line.trim()));
const LINE_MAX = 500;

const isProduct = (file: string): boolean => {
  try {
    const opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const buffer = Buffer.alloc(BEGINNING_BYTES);
      const beginning = buffer.toString('latin1', 0, readSync(opened, buffer, 0, buffer.length, 0));
      return BEGINNINGS.some((each) => beginning.startsWith(each));
    } finally {
      closeSync(opened);
    }
  } catch {
    return false;
  }
};
const BEGINNING_BYTES = 8;
