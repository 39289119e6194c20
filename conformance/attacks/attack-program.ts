/** The programs of this folder that a case starts. */
import { programFile } from '../../scripts/built-programs.ts';

/** A program of this folder, as source or built. */
export const attackProgram = (name: string): string => programFile(new URL(`./${name}.ts`, import.meta.url));
