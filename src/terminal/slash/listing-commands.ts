/** Commands that list what there is. */
import { headOf } from '../../core/window/prefix.ts';
import { helpItem, jobsItem, serversItem, toolsItem } from './listings.ts';
import type { SlashCommand, SlashHost } from './slash-command.ts';

/** What `/mcp` does to a server that is named. */
const CHANGES: readonly string[] = ['reconnect', 'on', 'off'];

/** `/mcp`: all of them; `/mcp NAME`: one with its tools; `/mcp reconnect|on|off NAME`. */
const servers = async (host: SlashHost, argument: string): Promise<void> => {
  const { servers: control } = host.options;
  const listed = control?.list() ?? [];
  if (control === undefined || listed.length === 0)
    return host.notice('quiet', 'There are no MCP servers; `halter mcp add` adds one.');
  const [word = '', name = ''] = argument.split(/\s+/);
  if (name === '') {
    const one = listed.find((server) => server.name === word);
    if (word !== '' && one === undefined) return host.notice('warning', `There is no MCP server ${word}.`);
    return host.add(serversItem(one ? [one] : listed, one !== undefined));
  }
  if (!CHANGES.includes(word))
    return host.notice('warning', 'It is /mcp, /mcp NAME, or /mcp reconnect, on or off NAME.');
  const now = await (word === 'reconnect' ? control.reconnect(name) : control.setEnabled(name, word === 'on'));
  host.add(serversItem([now], false));
  if (word !== 'reconnect')
    host.notice('quiet', 'What a prompt offers stays as the session began; /new begins another one.');
};

/** `/jobs`: what goes on in the background; `/jobs stop ID`. */
const jobs = async (host: SlashHost, argument: string): Promise<void> => {
  const { jobs: control } = host.session();
  if (control === undefined) throw new Error('The jobs of this session are in another process.');
  const [word = '', id = ''] = argument.split(/\s+/);
  if (word === 'stop' && id !== '') {
    const stopped = await control.stop(id);
    return stopped.ok ? host.notice('quiet', `${id} was stopped.`) : host.notice('warning', stopped.error.message);
  }
  if (word !== '') return host.notice('warning', 'It is /jobs, or /jobs stop ID.');
  const listed = control.list();
  if (listed.length === 0) return host.notice('quiet', 'Nothing runs in the background.');
  host.add(jobsItem(listed));
};

export const LISTING_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'help',
    description: 'keys and commands',
    async perform(host) {
      const { usable, hidden } = await host.prompts();
      host.add(helpItem(host.keys, [...host.commands, ...usable]));
      for (const { name } of hidden)
        host.notice('warning', `${name}.md is not used here: /${name} is a command of halter. Give it another name.`);
    },
  },
  {
    name: 'tools',
    description: 'the tools the model may call, with their risk',
    perform: (host) =>
      host.add(
        toolsItem(
          host.options.tools,
          headOf(host.session().log())?.tools.map(({ name }) => name),
        ),
      ),
  },
  {
    name: 'jobs',
    description: 'commands in the background',
    argument: 'stop id',
    words: ['stop'],
    perform: jobs,
  },
  {
    name: 'mcp',
    description: 'MCP servers and their tools',
    argument: 'reconnect|off|on server',
    words: CHANGES,
    perform: servers,
  },
];
