// Drives the binary with the official TypeScript MCP SDK, on GitHub's schema, and
// counts what its answers cost an agent. Run by scripts/test.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const binary = process.env.SEXTANT_BINARY ?? join(root, 'target/release/sextant');
const index = join(root, 'target/clients/indexes/github.sqlite');

// The packages lie in target/, out of the sight of a plain import from here.
const packages = createRequire(join(root, 'target/clients/package.json'));
const load = async (name) => {
  const module = await import(pathToFileURL(packages.resolve(name)));
  return { ...module.default, ...module };
};
const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = await load('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } = await load('@modelcontextprotocol/sdk/client/streamableHttp.js');
const { Ajv2020 } = await load('ajv/dist/2020.js');
const { countTokens } = await load('gpt-tokenizer');

const STILL_BUILDING = 'The schema index is still building. Retry in a few seconds.';
const PATIENCE = 60_000; // milliseconds a server may go on to say so
const MOST_TOKENS = 3_000; // of ten hits, on average over the topics

/** What people ask of GitHub's graph: short topics and long ones, reads and writes. */
const TOPICS = [
  'open pull requests of a repository',
  'delete a branch',
  'merge a pull request',
  'who reviewed this pull request',
  'issue labels and their colors',
  'add a label to an issue',
  'close an issue',
  'commit history of a file',
  'compare two branches',
  'default branch of a repository',
  'star a repository',
  'people who watch a repository',
  'members of an organization and their roles',
  'teams of an organization',
  'invite a member to an organization',
  'branch protection rules',
  'status of the checks of a commit',
  'rerun a failed check suite',
  'deployments and their environments',
  'latest release and its assets',
  'security vulnerability alerts',
  'sponsors of a user',
  'pinned repositories of a user',
  'contributions of a user over the last year',
  'comments in a discussion',
  'mark a discussion comment as the answer',
  'project board items and field values',
  'move an item in a project',
  'license of a repository',
  'programming languages that a repository uses',
  'rate limit of the API',
  'pull requests with their review threads and whether each is resolved',
  'all issues assigned to me in an organization, with their milestones and due dates',
  'create a commit on a branch with several changed files',
];

const client = new Client({ name: 'sextant-tests', version: '0' });
await client.connect(
  new StdioClientTransport({ command: binary, args: ['mcp', '--index', index], env: { SEXTANT_LOG: 'error' } }),
);
test.after(() => client.close());

/** A tool's result, asked for again while the index is still building. */
async function call(name, input, of = client) {
  for (const deadline = Date.now() + PATIENCE; ; await sleep(100)) {
    const result = await of.callTool({ name, arguments: input });
    if (!result.isError || result.content[0].text !== STILL_BUILDING) return result;
    assert.ok(Date.now() < deadline, `still building after ${PATIENCE / 1000} seconds`);
  }
}

test('introduces itself', () => {
  assert.equal(client.getServerVersion().name, 'sextant');
  assert.ok(client.getServerCapabilities().tools);
});

test('answers fit the output schemas', async () => {
  const { tools } = await client.listTools();
  // A format is an annotation in JSON Schema 2020-12, and schemars writes its own.
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  for (const [name, input] of [
    ['search_schema', { query: 'open pull requests of a repository' }],
    ['search_schema', { query: 'anything', kinds: ['path'] }],
    ['search_schema', { query: 'anything', kinds: ['directive'] }],
    ['get_symbols', { coordinates: ['object:PullRequest', 'field:Query.repository', 'object:Nothing'] }],
  ]) {
    const { isError, structuredContent, content } = await call(name, input);
    assert.ok(!isError, content[0].text);
    const validate = ajv.compile(tools.find((tool) => tool.name === name).outputSchema);
    assert.ok(validate(structuredContent), ajv.errorsText(validate.errors));
    assert.deepEqual(JSON.parse(content[0].text), structuredContent);
  }
});

test('symbols keep the order of the request', async () => {
  const coordinates = ['field:Query.repository', 'object:Nothing', 'object:PullRequest', 'enum:MergeStateStatus'];
  const { structuredContent } = await call('get_symbols', { coordinates });
  const found = structuredContent.symbols.map((symbol) => symbol.coordinate);
  assert.deepEqual(found, coordinates.filter((coordinate) => coordinate !== 'object:Nothing'));
});

test('an invalid request is a result, not a protocol error', async () => {
  for (const [name, input] of [
    ['search_schema', { query: '' }],
    ['search_schema', { query: 'x', limit: 201 }],
    ['get_symbols', { coordinates: [] }],
  ]) {
    const { isError, content } = await call(name, input);
    assert.equal(isError, true);
    assert.ok(content[0].text.startsWith('The request is not valid.'), content[0].text);
  }
});

test(`ten hits cost an agent ${MOST_TOKENS} tokens or less on average`, async (t) => {
  const costs = [];
  for (const query of TOPICS) {
    const { isError, content, structuredContent } = await call('search_schema', { query });
    assert.ok(!isError, content[0].text);
    assert.equal(structuredContent.hits.length, 10, query);
    costs.push({ query, tokens: countTokens(content[0].text) });
  }
  costs.sort((one, other) => one.tokens - other.tokens);
  const mean = Math.round(costs.reduce((sum, { tokens }) => sum + tokens, 0) / costs.length);
  const dearest = costs.at(-1);
  t.diagnostic(
    `tokens of ten hits on GitHub's schema, ${costs.length} topics: mean ${mean}, ` +
      `median ${costs[costs.length >> 1].tokens}, most ${dearest.tokens} ("${dearest.query}")`,
  );
  assert.ok(mean <= MOST_TOKENS, `${mean} tokens on average`);
});

test('the same over HTTP: list, call, error, and an end when it is told to', async (t) => {
  const server = spawn(binary, ['mcp', '--index', index, '--http', '127.0.0.1:0'], {
    env: { SEXTANT_LOG: 'sextant=info' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.after(() => server.kill('SIGKILL'));
  let url;
  for await (const line of createInterface({ input: server.stderr })) {
    [, url] = line.match(/url=(\S+)/) ?? [];
    if (url) break;
  }
  const overHttp = new Client({ name: 'sextant-tests', version: '0' });
  await overHttp.connect(new StreamableHTTPClientTransport(new URL(url)));
  assert.deepEqual((await overHttp.listTools()).tools, (await client.listTools()).tools);
  const asked = ['get_symbols', { coordinates: ['object:PullRequest', 'field:Query.repository'] }];
  const answer = await call(...asked, overHttp);
  assert.ok(!answer.isError, answer.content[0].text);
  assert.deepEqual(answer.structuredContent, (await call(...asked)).structuredContent);
  const error = await call('search_schema', { query: '' }, overHttp);
  assert.equal(error.isError, true);
  assert.ok(error.content[0].text.startsWith('The request is not valid.'), error.content[0].text);
  await assert.rejects(overHttp.callTool({ name: 'drop_schema' }), /there is no tool `drop_schema`/);
  await overHttp.close();
  server.kill('SIGTERM');
  assert.deepEqual(await once(server, 'exit'), [0, null]);
});
