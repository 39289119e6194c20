/** The compiler knows the names and arguments of the built-in tools, as it knows those of tools that a program defines. */
import type { DefinedTool, Tool } from '../../core/tool.ts';
import type { ArgumentsInput, JsonSchemaInput } from '../../schema/index.ts';

/** A tool as it is written down: literals stay what they are. */
type Written<N, P> = Omit<Tool, 'name' | 'parameters'> & { readonly name: N; readonly parameters: P };

export const builtIn = <const N extends string, const P extends JsonSchemaInput>(
  tool: Written<N, P>,
): DefinedTool<N, ArgumentsInput<P>> => tool as unknown as DefinedTool<N, ArgumentsInput<P>>;
