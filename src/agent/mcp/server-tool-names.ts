/** Tools of servers are told by their name. In a file of its own, for those that only ask that. */
export const isServerTool = (name: string): boolean => name.startsWith('mcp_');
