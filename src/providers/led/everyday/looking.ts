/** Counts, sizes, versions and places: questions that a command or a search answers exactly. */
import { asWritten } from '../as-written.ts';
import { findPaths, findQuoted } from '../request-facts/values.ts';
import { fileIn, findCommand, folderIn, kindsIn, speaksOfFiles } from './kinds.ts';
import { type Plan, quoted, shell } from './plan.ts';
import { projectPlan, versionPlan } from './project.ts';

const LEFT_OUT = '(hidden ones and installed packages left out)';
const HOW_MANY = /\b(?:how many|number of|count|amount of|total of)\b/i;
const search = (pattern: string, opening: string, filter?: string): Plan => ({
  kind: 'call',
  call: { name: 'grep_search', arguments: { pattern, ...(filter === undefined ? {} : { file_filter: filter }) } },
  opening,
});

const FOLDER_SIZE =
  /^(?!.*\b(?:lines?|files?|words?|functions?)\b).*\b(?:how (?:big|large) (?:is|are)|size of)\b.*\b(?:folder|directory|dir|project|repo(?:sitory)?|workspace|codebase|here)\b/i;

const sizePlan = (folder: string): Plan =>
  shell(`du -sh ${quoted(folder === '.' ? folder : `./${folder.replace(/^\.\//, '')}`)}`, '', {
    next: (data) => {
      const size = /^(\d\S*)\s/.exec(data)?.[1];
      const name = folder === '.' ? 'This folder' : asWritten(folder);
      return {
        kind: 'say',
        text:
          size === undefined
            ? `The size of ${name} could not be read.`
            : `${name} takes ${size} on the disk, with hidden files and installed packages.`,
      };
    },
  });

const countPlan = (request: string): Plan | undefined => {
  const long = /\bhow (?:long|big|large)\b|\b(?:size|length) of\b/i.test(request);
  if (!HOW_MANY.test(request) && !long) return undefined;
  const file = fileIn(request);
  if (findPaths(request).length > 1) return { kind: 'decline', what: 'count over several files' };
  if (file === undefined && long && FOLDER_SIZE.test(request)) return sizePlan(folderIn(request));
  if (file !== undefined) {
    if (/\blines?\b|\bhow long\b|\blength\b/i.test(request))
      return shell(`nl -ba ${quoted(file)} | wc -l`, `Lines of ${asWritten(file)}:`);
    if (/\bwords?\b/i.test(request)) return shell(`wc -w ${quoted(file)}`, 'Words:');
    if (/\bcharacters?\b/i.test(request)) return shell(`wc -m ${quoted(file)}`, 'Characters:');
    if (/\bbytes?\b/i.test(request) || long) return shell(`wc -c ${quoted(file)}`, 'Bytes:');
  }
  const text = /\bTODOs?\b|\bFIXMEs?\b/.exec(request)?.[0]?.replace(/s$/, '') ?? findQuoted(request)[0]?.text;
  if (text !== undefined && HOW_MANY.test(request)) return search(text, 'Lines with it:', file);
  if (/\b(?:folders|director(?:y|ies)|subfolders|subdirectories)\b/i.test(request) && !/\bfiles?\b/i.test(request)) {
    return shell(`${findCommand(folderIn(request), [], 'd')} | wc -l`, `Folders ${LEFT_OUT}:`);
  }
  if (
    HOW_MANY.test(request) &&
    speaksOfFiles(request) &&
    !/\b(?:lines?|words?|functions?|class(?:es)?|methods?|imports?)\b/i.test(request)
  ) {
    return shell(`${findCommand(folderIn(request), kindsIn(request))} | wc -l`, `Files ${LEFT_OUT}:`);
  }
  const isOfCode = file !== undefined || COUNTED.test(request);
  return long || !isOfCode ? undefined : { kind: 'decline', what: 'count that' };
};
/** What stands in files and is no file: other things ("members") may be told by the text of one. */
const COUNTED =
  /\b(?:lines?|words?|characters?|bytes?|functions?|class(?:es)?|methods?|imports?|variables?|loops?|comments?|tests?|errors?|warnings?|bugs?|code)\b/i;

const manifestPlan = (request: string): Plan | undefined => {
  if (fileIn(request) !== undefined || !/\b(?:what|which|list|show|tell)\b/i.test(request)) return undefined;
  const project = projectPlan(request);
  if (project) return project;
  return /\bwhat(?:'s| is| does)\b.*\b(?:this |the )(?:project|repo(?:sitory)?|package)\b(?: about| do| for)?[?.!]*$/i.test(
    request,
  )
    ? { kind: 'call', call: { name: 'read_file', arguments: { path: 'README.md' } }, opening: 'What README.md says:' }
    : undefined;
};

const partPlan = (request: string): Plan | undefined => {
  const file = fileIn(request);
  if (file === undefined) return undefined;
  const part = /\b(first|last|top|bottom)\s+(?:(\d{1,4})\s+)?lines?\b/i.exec(request);
  if (part) {
    const count = part[2] ?? '1';
    return shell(
      `${/first|top/i.test(part[1] ?? '') ? 'head' : 'tail'} -n ${count} ${quoted(file)}`,
      `${asWritten(file)}:`,
    );
  }
  const range = /\blines?\s+(\d{1,6})(?:\s*(?:-|–|to|through|and)\s*(\d{1,6}))?\b/i.exec(request);
  if (!range || !/\b(?:show|print|what|display|read|see|give)\b/i.test(request)) return undefined;
  const from = Number(range[1]);
  return {
    kind: 'call',
    call: { name: 'read_file', arguments: { path: file, line_start: from, line_end: Number(range[2] ?? from) } },
    opening: `${asWritten(file)}:`,
  };
};

const ABOUT_TEXT =
  /\bfiles?\b.*?\b(?:contain(?:s|ing)?|mention(?:s|ing)?|includ(?:e|es|ing)|imports?|importing|defines?|declares?|uses?|using|references?|with|about|regarding|related to|concerning)\s+(?:the )?(?:text |words? |string |name |function |class |module |package )?["'`]?([^\s"'`?]+)["'`]?[?.!]*$|^(?:please |can you |could you )*(?:search|grep|look)\s+(?:(?:in |through )?(?:all |the |this )*(?:files|project|code|folder)\s+)?(?:for\s+)?(?:the )?(?:text |word |string )?["'`]?([^\s"'`?]+)["'`]?(?:\s+(?:in|across|through)\s+(?:all |the |this )*(?:files?|project|code(?:base)?|folder|repo(?:sitory)?|project files)|\s+here)?[?.!]*$/i;
const textPlan = (request: string): Plan | undefined => {
  const found = ABOUT_TEXT.exec(request);
  const text = found === null ? undefined : (findQuoted(request)[0]?.text ?? found[1] ?? found[2]);
  return text === undefined ? undefined : search(text, 'Found:');
};

/** "Show README", "What is in src?" */
const wholePlan = (request: string): Plan | undefined => {
  const file = fileIn(request);
  const shows =
    /^(?:please |can you |could you )*(?:show|open|read|cat|display|print|view)\s+(?:me\s+)?(?:the\s+)?(?:file\s+|contents? of\s+)?[`"']?[\w./-]+[`"']?(?:\s+file)?[.!?]*$/i;
  if (file !== undefined && shows.test(request.trim())) {
    return { kind: 'call', call: { name: 'read_file', arguments: { path: file } }, opening: `${asWritten(file)}:` };
  }
  const folder =
    /^(?:what(?:'s| is)|list|show)(?: me)?(?: everything)? (?:in|inside)(?: of)? (?:the )?[`"']?([\w-][\w/-]*)[`"']?(?: folder| directory)?[?.!]*$/i.exec(
      request.trim(),
    )?.[1];
  return folder === undefined || /^(?:this|my|here|it|current|folder|directory|project)$/i.test(folder)
    ? undefined
    : { kind: 'call', call: { name: 'ls', arguments: { path: folder } }, opening: `${asWritten(folder)}:` };
};

const findPlan = (request: string): Plan | undefined => {
  const file = fileIn(request);
  const most = /\b(largest|biggest|newest|latest|most recent(?:ly)?|last)\b/i.exec(request)?.[1];
  if (most !== undefined && file === undefined && /\bfiles?\b/i.test(request)) {
    const bySize = /largest|biggest/i.test(most);
    const list = `${findCommand(folderIn(request), kindsIn(request))} -printf '${bySize ? '%s bytes' : '%TY-%Tm-%Td %TH:%TM'}  %P\\n'`;
    return shell(`${list} | sort -rn | head -n 5`, bySize ? 'The largest files:' : 'Changed last:');
  }
  const asks = /\b(?:find|list|show|which|what|where|search|locate|any|is there|are there|does|exists?|give)\b/i;
  if (!asks.test(request)) return undefined;
  if (
    file !== undefined &&
    /\b(?:where(?:'s| is)|find|locate|is there|exists?|do (?:we|i) have)\b/i.test(request) &&
    !/\b(?:in|inside|of|from)\s+(?:the )?(?:file )?[`"']?[\w/]+\.\w/i.test(request)
  ) {
    return shell(findCommand('.', [file.split('/').at(-1) ?? file]), 'Found:', {
      nothing: `There is no ${asWritten(file)} here.`,
    });
  }
  const symbol =
    /\bwhere\b.*?\b(?:is|are|do|does|did)\b\s+(?:we |i |it )?(?:the )?(?:(?:function|class|method|variable|constant|type)\s+)?[`"']?([A-Za-z_$][\w$]*)(?:\(\))?[`"']?\s+(?:\w+\s+)?(?:defined|declared|used|called|mentioned|imported|set)\b/i.exec(
      request,
    )?.[1];
  if (symbol !== undefined) return search(symbol, `Where \`${symbol}\` stands:`);
  if (/\b(?:TODO|FIXME)s?\b/.test(request)) return search(/\bFIXME/.test(request) ? 'FIXME' : 'TODO', 'Found:', file);
  const kinds = kindsIn(request);
  const wants = kinds.length > 0 && file === undefined && speaksOfFiles(request);
  return wants &&
    !/\b(?:contain|contains|containing|mention|mentions|mentioning|use|uses|import|imports|include|includes|text|string|word|say|says|with)\b/i.test(
      request,
    )
    ? shell(`${findCommand(folderIn(request), kinds)} | sort`, `Found ${LEFT_OUT}:`, {
        nothing: 'There are no such files here.',
      })
    : undefined;
};

export const lookingPlan = (request: string): Plan | undefined =>
  versionPlan(request) ??
  countPlan(request) ??
  partPlan(request) ??
  manifestPlan(request) ??
  textPlan(request) ??
  wholePlan(request) ??
  findPlan(request);
