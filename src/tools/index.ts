/** The tools of halter. A new tool is one file beside this one and one line here. */
import type { Tool } from '../core/tool.ts';
import { addTask } from './add-task.ts';
import { bashTool } from './bash.ts';
import { codeGraph } from './code-graph.ts';
import { editFile } from './edit-file.ts';
import { generateImage } from './generate-image.ts';
import { getCurrentTime } from './get-current-time.ts';
import { getFileTree } from './get-file-tree.ts';
import { getWorkingDirectory } from './get-working-directory.ts';
import { grepSearchTool } from './grep-search.ts';
import { insertLines } from './insert-lines.ts';
import { listTasks } from './list-tasks.ts';
import { ls } from './ls.ts';
import { ragSearch } from './rag-search.ts';
import { readFile } from './read-file.ts';
import { readJob } from './read-job.ts';
import { replaceLines } from './replace-lines.ts';
import { stopJob } from './stop-job.ts';
import { systemStats } from './system-stats.ts';
import { updateTask } from './update-task.ts';
import { webFetch } from './web-fetch.ts';
import { webSearch } from './web-search.ts';
import { writeFile } from './write-file.ts';
import { writeJob } from './write-job.ts';

/** Every program of the process sees the same list. */
export const BUILT_IN_TOOLS = Object.freeze([
  ls,
  getFileTree,
  readFile,
  writeFile,
  editFile,
  replaceLines,
  insertLines,
  getCurrentTime,
  getWorkingDirectory,
  addTask,
  listTasks,
  updateTask,
  grepSearchTool,
  bashTool,
  readJob,
  writeJob,
  stopJob,
  webSearch,
  webFetch,
  generateImage,
  systemStats,
  ragSearch,
  codeGraph,
] as const satisfies readonly Tool[]);
