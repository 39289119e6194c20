/**
 * The documents of a chat lie beside the workspace, not in it. For a model they stand under `@documents/`, where no path
 * of the workspace begins.
 */
import { DOCUMENT_LIMITS } from './limits/document-limits.ts';
import { failure, type Outcome, succeed } from './outcome.ts';
import { isSecretPath } from './policy/sensitive-files.ts';

export const DOCUMENTS_FOLDER = '@documents/';
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029]/gu;

/** The document that a path names; undefined where it names something else. */
export const documentNamed = (path: string): string | undefined => {
  const plain = path.replace(/^(?:\.\/)+/, '');
  return plain.startsWith(DOCUMENTS_FOLDER) ? plain.slice(DOCUMENTS_FOLDER.length) : undefined;
};

/**
 * A file's own name as the name of a document: no folders, nothing that cannot be seen, not too long to be a file. A name of
 * secrets is refused as it was given: without its folder or its dot it would look like any other.
 */
export const documentName = (given: string): Outcome<string> => {
  const path = given.normalize('NFC').replaceAll(HIDDEN, '').replaceAll('\\', '/').trim();
  const last = (path.split('/').at(-1) ?? '').trim();
  const name = last.replace(/^[.\s]+/, '');
  const secret = [path, last, name].find(isSecretPath);
  if (secret !== undefined) {
    const message = `${secret} is named like a file of secrets, and those are not searched.`;
    return failure('validation_failed', message, 'secret');
  }
  if (name === '') return failure('validation_failed', 'A document needs a name, such as report.pdf.', 'name');
  const characters = [...name];
  if (characters.length <= DOCUMENT_LIMITS.documentNameCharacters) return succeed(name);
  const [ending = ''] = /\.[A-Za-z0-9]{1,10}$/.exec(name) ?? [];
  return succeed(
    characters
      .slice(0, DOCUMENT_LIMITS.documentNameCharacters - ending.length)
      .join('')
      .trimEnd() + ending,
  );
};
