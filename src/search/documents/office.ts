/** The text of Office and OpenDocument files: zip archives of XML, of which only the parts with text are unpacked. */
import { type UnzipFileInfo, unzipSync } from 'fflate';
import { LIMITS } from '../../core/limits.ts';

const PARTS: Readonly<Record<string, RegExp>> = {
  '.docx': /^word\/(?:document|footnotes|endnotes|header\d*|footer\d*)\.xml$/,
  '.pptx': /^ppt\/(?:slides|notesSlides)\/[^/]+\.xml$/,
  '.xlsx': /^xl\/(?:sharedStrings|worksheets\/[^/]+)\.xml$/,
  '.odt': /^content\.xml$/,
  '.odp': /^content\.xml$/,
  '.ods': /^content\.xml$/,
};
/** Where a line ends. */
const LINE_ENDS = /<\/(?:w:p|a:p|text:p|text:h|table:table-row|row|si)>|<(?:w:br|a:br|text:line-break)\b[^>]*>/g;
const CELL_ENDS = /<\/(?:c|w:tc|table:table-cell)>|<(?:w:tab|text:tab)\b[^>]*>/g;
const HEADING = /<(?:w:pStyle [^>]*w:val="(?:Heading|Title)[^"]*"|text:h)\b/;

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const withoutEntities = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

/** Slides and sheets in the order of their numbers. */
const byNumber = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

const textLines = (xml: string): string[] =>
  xml
    .replace(LINE_ENDS, '\n')
    .split('\n')
    .map((line) => {
      const text = withoutEntities(line.replace(CELL_ENDS, '\t').replace(/<[^<>]*>/g, ''))
        .replace(/[ \u00a0]+/g, ' ')
        .trimEnd();
      return text.trim() !== '' && HEADING.test(line) ? `# ${text.trim()}` : text;
    })
    .filter((line) => line.trim() !== '');

export const officeLines = (ending: string, bytes: Uint8Array): string[] | undefined => {
  const parts = PARTS[ending];
  if (parts === undefined) return undefined;
  try {
    let room = LIMITS.indexDocumentBytes;
    // What a part says of its own size is checked before it is unpacked: a small archive may hold a huge file.
    const filter = ({ name, originalSize }: UnzipFileInfo): boolean => {
      if (!parts.test(name) || originalSize > room) return false;
      room -= originalSize;
      return true;
    };
    const files = unzipSync(bytes, { filter });
    const names = Object.keys(files).sort(byNumber);
    if (names.length === 0) return undefined;
    const lines: string[] = [];
    for (const name of names) {
      if (ending === '.pptx' || ending === '.xlsx') lines.push(`# ${name.replace(/^.*\/|\.xml$/g, '')}`);
      lines.push(...textLines(Buffer.from(files[name] as Uint8Array).toString('utf8')));
    }
    return lines;
  } catch {
    return undefined;
  }
};
