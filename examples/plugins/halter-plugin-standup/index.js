// A command: `/standup` in the terminal app, `halter run "/standup Ada"` in scripts.
export const plugin = {
  name: 'standup',
  commands: [
    {
      name: 'standup',
      description: 'what was done since yesterday',
      template: 'Look at the commits of $1 since yesterday with git, and say in three sentences what was done.',
    },
  ],
};
