/**
 * Answers around a call (`@`), each with what a person asked. They were written before the lists of `sample.ts` were read, so
 * they measure it: do not write words into those lists to make one of them pass.
 */
export const SAMPLES: readonly (readonly [asked: string, answer: string])[] = [
  [
    'How do Hermes models call tools?',
    'A Hermes model wraps its request in two tags. The body is ordinary JSON.\n\n@\n\nYour parser has to find both tags and read what lies between.',
  ],
  [
    'What is the difference between Mistral and Qwen tool calls?',
    'Mistral marks the start with a bracketed word; Qwen does it another way.\n\n@\n\nBoth carry the same information.',
  ],
  [
    'Write a unit test for my parser.',
    'The fixture holds one line.\n\n@\n\nThe assertion then checks that the name is right.',
  ],
  [
    'What went wrong in the log?',
    'Line 214 holds the answer of the model.\n\n@\n\nNobody ever ran it, since the marker was cut.',
  ],
  [
    'Explain the ReAct paper.',
    'In the paper the model alternates thought and action. Figure 2 shows one step.\n\n@\n\nThe environment answers with an observation.',
  ],
  [
    'Document the API in README.md for me, I will paste it.',
    '## Calling a tool\n\nSend the following body to the endpoint.\n\n@\n\nThe server replies with the result.',
  ],
  [
    'Why does Llama fail with vLLM?',
    'vLLM is waiting for a bracket, but Llama 3.2 sends an object.\n\n@\n\nSo the parser gives up and returns it as content.',
  ],
  ['Show me the wire format.', 'Sure. On the wire it is just this.\n\n@\n\nNothing else is sent.'],
  ['What would you send to list files?', 'I would send this if I had to list files.\n\n@\n\nI have not done so.'],
  [
    'Can you teach me function calling?',
    'Lesson 1. Every call has a name and arguments.\n\n@\n\nNow try to write one for the weather yourself.',
  ],
  [
    'Which tokens are special here?',
    'The special tokens are the outermost ones. Everything inside is plain text.\n\n@\n\nThe tokenizer counts each as one.',
  ],
  [
    'What did the previous model do wrong?',
    'It left out the quotes and invented a field. Corrected, its message reads\n\n@\n\nand would have been accepted.',
  ],
  [
    'How do I prompt a small model to use tools?',
    'Put one demonstration into the system prompt.\n\n@\n\nOne is often enough for 7B models.',
  ],
  ['What does our proxy pass on?', 'The proxy forwards the body untouched.\n\n@\n\nOnly the headers change.'],
  [
    'Translate the tutorial to English.',
    'Step 2: The assistant answers with a call.\n\n@\n\nStep 3: The program runs it.',
  ],
  ['Which of the two is valid?', 'The second is valid, the first is not, because its brace is never closed.\n\n@'],
  [
    'What is in the training data?',
    'Each row has three columns. The third is the target.\n\n@\n\nThe loss is computed on that column alone.',
  ],
  [
    'Describe the Toolformer data.',
    'Toolformer inlines calls in the middle of sentences. A modern equivalent is\n\n@\n\nwhich is easier to parse.',
  ],
  [
    'How is JSON escaped inside the call?',
    'Quotation marks inside a value get a backslash. There are none in this one.\n\n@\n\nA path on Windows would need two.',
  ],
  [
    'What do I type in the playground?',
    'Paste it into the field named Assistant.\n\n@\n\nThen press Run and watch the right pane.',
  ],
  [
    'What does the spec say about whitespace?',
    'Section 4.2 permits line breaks between the parts. Written without them:\n\n@\n\nBoth are equal.',
  ],
  [
    'Give me a regex for it.',
    'The expression `^\\{.*\\}$` matches the whole thing.\n\n@\n\nIt does not match when text follows.',
  ],
  ['Is this secure?', 'An attacker could put text like this on a page.\n\n@\n\nA careless agent would run it.'],
  ['What is prompt injection?', 'Imagine a web page that contains the line\n\n@\n\nand a model that believes it.'],
  ['How long is a call?', 'About twenty tokens.\n\n@\n\nCounted with the Llama tokenizer it is twenty-three.'],
  [
    'What does GPT-4 return?',
    'GPT-4 returns a structure of its own. Flattened into text it becomes\n\n@\n\nwith the id left out.',
  ],
  ['Compare the formats.', 'Compare it with what GPT emits.\n\n@\n\nThe nesting is what differs.'],
  ['Write the chapter on agents.', 'Listing 3.\n\n@\n\nThe reader will notice that the name comes first.'],
  ['How is it delimited?', 'Two tokens open it and two close it.\n\n@'],
  ['Show the log.', 'Here is the raw text of the log.\n\n@'],
  ['What did the student hand in?', 'The student handed in this.\n\n@\n\nI would give it full marks.'],
  ['Grade the answer.', 'Answer B is the better one. It reads as follows.\n\n@\n\nAnswer A forgot the name.'],
  ['Who wrote that call?', 'Kimi wrote it on Tuesday.\n\n@\n\nQwen answered with prose.'],
  [
    'What is stored in the database?',
    'The column `content` keeps the message verbatim.\n\n@\n\nThe column `role` says who spoke.',
  ],
  [
    'What is an MCP call?',
    'MCP is another layer. Underneath, the model still produces\n\n@\n\nand the client turns that into JSON-RPC.',
  ],
  ['Make a slide about tool use.', '# Tool use\n\n- The model speaks first\n\n@\n\n- The harness acts'],
  [
    'What are the parts of a call?',
    'Three parts: the wrapper, the name, the arguments.\n\n@\n\nThe wrapper is what most people forget.',
  ],
  [
    'How do I debug this?',
    'Print what comes back. You will see something near to\n\n@\n\nIf you see nothing, raise the temperature.',
  ],
  [
    'What would a bad call look like?',
    'A call with a relative path is a bad call on our servers.\n\n@\n\nUse absolute ones.',
  ],
  ['Which models support this?', 'All models that were trained on this notation do:\n\n@\n\nPhi was not.'],
  [
    'How does the decoder know when to stop?',
    'It stops at the end marker, so the final characters matter.\n\n@\n\nAfter them nothing may be sampled.',
  ],
  [
    'What does constrained decoding do?',
    'With a grammar the sampler can only reach strings of this shape.\n\n@\n\nEvery other token gets probability zero.',
  ],
  [
    'Give me a cheat sheet.',
    '| what | how |\n|---|---|\n| read a file | see below |\n\n@\n\nPrint it and hang it on the wall.',
  ],
  ['How was it in version 1?', 'Version 1 had no wrapper at all.\n\n@\n\nVersion 2 added it for safety.'],
  [
    'What happens after the call?',
    'Suppose the assistant has just said\n\n@\n\nThen the harness runs it and appends the outcome.',
  ],
  ['Is the order of keys important?', 'No. Swap them and nothing changes.\n\n@\n\nPython keeps the order, by the way.'],
  [
    'What does the JSON schema describe?',
    'The schema describes objects of which this is one.\n\n@\n\nMore keys are refused.',
  ],
  [
    'Explain this to my manager.',
    'Think of it as a filled-in form that the model hands over.\n\n@\n\nThe form itself does nothing until somebody acts on it.',
  ],
  [
    'Why was my PR rejected?',
    'Your snapshot differs from the expected one in a single place.\n\n@\n\nRun the tests with `-u` to accept it.',
  ],
  [
    'What is a stop sequence?',
    'A stop sequence ends the answer. With `</s>` as the stop the text would be\n\n@\n\nand the marker itself is dropped.',
  ],
  ['Do you have a template?', 'Fill in the path and you are done.\n\n@\n\nThe rest can stay as it is.'],
  [
    'What does the assistant turn contain?',
    'The assistant turn contains nothing but\n\n@\n\nThe tool turn contains the result.',
  ],
  [
    'How do other harnesses do it?',
    'Aider asks for diffs. OpenHands asks for tags. Ours asks for\n\n@\n\nI prefer ours.',
  ],
  ['What did I paste?', 'You pasted a single call to a tool.\n\n@\n\nIt is well formed.'],
  [
    'Can the model call two tools?',
    'Yes, one after the other. Repeat the block as often as you like.\n\n@\n\nThe results come back in the same order.',
  ],
  [
    'Why is my fine-tune broken?',
    'Your rows end with a comma after the last brace. They should end without it.\n\n@\n\nRetrain with the cleaned file.',
  ],
  [
    'Convert this curl to a tool call.',
    'Converted, the curl command is\n\n@\n\nHeaders have no counterpart and were dropped.',
  ],
  ['What do you call that syntax?', 'People call it the JSON style.\n\n@\n\nThe other is called the Python style.'],
  ['Read the RFC to me.', '3.1. Requests\n\nA request MUST be a single object.\n\n@\n\n3.2. Responses'],
  ['What does the tooltip say?', 'The tooltip says “copy and paste”, and below it stands\n\n@\n\nin a grey box.'],
];

export const MEANT: readonly (readonly [asked: string, answer: string])[] = [
  ['What is in the log?', 'Let me read the log.\n\n@'],
  ['List the files.', 'Listing the files.\n\n@'],
  ['List three folders.', 'Listing 1 of 3.\n\n@'],
  ['Show the raw text of the log.', 'I need the raw text of the log first.\n\n@'],
  ['Compare it with the old config.', 'To compare it with the old config I have to open both.\n\n@'],
  ['How many tokens does it open?', 'I will count them in the file.\n\n@'],
  ['Fix the parser for tool calls.', 'First I look at the parser that reads the tool calls.\n\n@'],
  [
    'Why does the test for the JSON format fail?',
    'The test compares against a JSON format that may have changed. Checking.\n\n@',
  ],
  ['Update the docs on the wire format.', 'The docs mention the wire format in one file. Opening it.\n\n@'],
  ['What does the example do?', 'Let me open the example.\n\n@'],
  ['Run the example.', 'Running the example now.\n\n@'],
  ['Find the sample data.', 'The sample data should be here:\n\n@'],
  ['Is there a template?', 'I will look for a template.\n\n@'],
  ['What does section 4.2 say?', 'Section 4.2 is in the specification, so I read that.\n\n@'],
  ['Who wrote main.c?', 'Git will know.\n\n@'],
  ['Build it.', 'Step 1: build.\n\n@'],
  ['Build and test.', '1. Build the project\n\n@\n\n2. Then I run the tests'],
  ['Look at src.', '@\n\nI will summarise it when I have the result.'],
  ['Look at src.', '@'],
  ['Check the server.', 'OK.\n\n@'],
  ['Look up the answer.', "I don't know that by heart, so I'll look.\n\n@"],
  ['What does the model write?', 'The output of the model is stored on disk. I read it.\n\n@'],
  ['Debug the agent.', 'The agent printed a malformed call. The trace has the details.\n\n@'],
  ['Does the grammar allow it?', 'That depends on the grammar file.\n\n@'],
  ['Clean up the fixtures.', 'These are the fixtures we have; let me see them.\n\n@'],
  ['Open the readme.', 'Opening README.\n\n@\n\nOne moment.'],
  ['What is the version?', 'Version numbers live in package.json.\n\n@'],
  ['Summarise the file.', 'Sure! Give me a second to read it.\n\n@'],
  ['Why is it slow?', 'Two things open a connection and two close it. I check which.\n\n@'],
  ['Why is it slow?', 'Hypothesis: the index is missing. Test:\n\n@'],
  ['What is the schema?', 'The schema is described in one place. Reading that place.\n\n@'],
  ['Continue.', 'Next.\n\n@'],
  ['Try again.', 'Second attempt.\n\n@'],
  ['Try again.', 'That failed because the path was wrong. The correct one:\n\n@'],
  ['Do it.', 'Done thinking. Here goes:\n\n@'],
  ['Read it for me.', 'This is what I will do:\n\n@'],
  ['Which file is bigger?', 'I compare the sizes.\n\n@'],
  ['Read the JSON.', 'Reading the JSON.\n\n@'],
  ['Explain main.ts to me.', 'To explain it I need its content.\n\n@'],
  ['Explain how the tool loop works in this repository.', 'The loop should be somewhere under src. Let me see.\n\n@'],
  ['How do I call the API?', 'The routes are listed in the project. I look there.\n\n@'],
  ['Write a lesson about git.', 'I want to base the lesson on your repository.\n\n@'],
  ['What is wrong with listing 3?', 'Listing 3 is in chapter two, which I open now.\n\n@'],
  ['Refactor it.', 'Before I change anything I want to see it.\n\n@'],
  ['Check that the output is right.', 'The expected output is in the repository. Compare:\n\n@'],
  ['What is the raw answer of the server?', 'Asking the server.\n\n@'],
  ['Look into the database.', 'The column names are in the migration.\n\n@'],
  ['Is it secure?', 'An attacker could reach the folder. Let me verify the permissions.\n\n@'],
  ['How did the last run go?', 'The log of the last run will tell.\n\n@'],
  ['Find typos.', 'Going through the text.\n\n@'],
  ['Please help.', 'Certainly. I start with an overview.\n\n@'],
  ['Look at the format of the data.', 'The format is unknown to me, so I look at the data.\n\n@'],
  ['Which tokens are in vocab.txt?', 'vocab.txt lists the tokens.\n\n@'],
  ['What is it called?', 'The name must be in the manifest.\n\n@'],
  ['Convert the file.', 'Before the conversion I read the input.\n\n@'],
  ['Check the tutorial.', 'Tutorial, step 2. Let me follow it.\n\n@'],
  ['Read all of it.', 'It is long; this is the first part.\n\n@'],
  ['Where is the bug?', 'I suspect the parser.\n\n@\n\nThat should show it.'],
  ['Sieh dir die Datei an.', 'Ich sehe mir die Datei an.\n\n@'],
  ['Lis le fichier.', 'Je lis le fichier.\n\n@'],
];

/** One call, in the notations that differ in how it is found. */
export const NOTATIONS: Readonly<Record<string, string>> = {
  json: '{"name": "read_file", "arguments": {"path": "notes.txt"}}',
  fenced: '```json\n{"name": "read_file", "arguments": {"path": "notes.txt"}}\n```',
  hermes: '<tool_call>\n{"name": "read_file", "arguments": {"path": "notes.txt"}}\n</tool_call>',
  mistral: '[TOOL_CALLS][{"name": "read_file", "arguments": {"path": "notes.txt"}}]',
  llama: '<function=read_file>{"path": "notes.txt"}</function>',
  coder: '<tool_call>\n<function=read_file>\n<parameter=path>\nnotes.txt\n</parameter>\n</function>\n</tool_call>',
  pythonic: '[read_file(path="notes.txt")]',
};
