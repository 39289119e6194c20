/** What a parser reads out of a file of code: its definitions, and the names that stand for others'. */
import type { ImportStatement } from './imports.ts';

export type Definition = {
  name: string;
  kind: string;
  /** Place of the definition that this one stands in; -1 at the top. */
  parent: number;
  /** Lines count from 1; the comment above is not among them. */
  lineStart: number;
  lineEnd: number;
  /** The type that a method belongs to, where it does not stand inside it (Go, C++). */
  owner?: string;
};

export const REFERENCE_KINDS = ['call', 'member', 'use', 'inherit'] as const;
export type ReferenceKind = (typeof REFERENCE_KINDS)[number];

/** One name in one definition, however often it stands there. */
export type Reference = {
  name: string;
  kind: ReferenceKind;
  /** Place of the definition that it stands in; -1 at the top. */
  within: number;
  line: number;
};

export type Outline = {
  /** In their order; an outer one before those inside. */
  definitions: Definition[];
  references: Reference[];
  imports: ImportStatement[];
};

/** `Parser.push`: a definition with what it stands in. */
export const qualifiedName = (definitions: readonly Definition[], index: number): string => {
  const parts: string[] = [];
  let owner: string | undefined;
  for (let at = index; at !== -1; ) {
    const definition = definitions[at] as Definition;
    // An `impl` block has its type's name, so it is said once.
    if (parts[0] !== definition.name || definition.kind !== 'implementation') parts.unshift(definition.name);
    owner ??= definition.owner;
    at = definition.parent;
  }
  return owner === undefined || parts.length > 1 ? parts.join('.') : `${owner}.${parts.join('.')}`;
};
