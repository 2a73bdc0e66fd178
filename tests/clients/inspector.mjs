// Drives the binary with the MCP Inspector's command line, one process a call,
// as a person or a script would. Run by scripts/test.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const binary = process.env.SEXTANT_BINARY ?? join(root, 'target/release/sextant');
const index = join(root, 'target/clients/indexes/employees.sqlite');
const inspector = join(root, 'target/clients/node_modules/.bin/mcp-inspector');

const STILL_BUILDING = 'The schema index is still building. Retry in a few seconds.';

/** Runs the Inspector once: its exit code and the JSON that it prints. */
function inspect(era, ...options) {
  const command = [
    ...['--cli', '--format', 'json', '--quiet', '--protocol-era', era, ...options],
    ...['--', binary, 'mcp', '--index', index],
  ];
  const run = spawnSync(inspector, command, { encoding: 'utf8', timeout: 60_000 });
  assert.ifError(run.error);
  assert.ok(run.stdout, `the Inspector printed nothing but: ${run.stderr}`);
  return { code: run.status, result: JSON.parse(run.stdout).result };
}

/** Calls a tool. Every call starts a server of its own, so each may meet one that is still loading. */
function call(era, tool, input) {
  const options = ['--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(input)];
  for (let attempt = 0; attempt < 10; attempt++) {
    const answer = inspect(era, ...options);
    if (answer.result.content[0].text !== STILL_BUILDING) return answer;
  }
  assert.fail('a finished index is still building at the first call of ten servers: one-shot clients get no answer');
}

// The Inspector's exit codes: 5 is a result that says isError, 6 an unportable schema.
for (const era of ['legacy', 'modern']) {
  test(`${era}: tools/list, with schemas that every client can take`, () => {
    const { code, result } = inspect(era, '--method', 'tools/list', '--strict');
    assert.equal(code, 0);
    const names = result.tools.map((tool) => tool.name);
    assert.ok(names.includes('search_schema') && names.includes('get_symbols'), names.join());
  });

  test(`${era}: search_schema`, () => {
    const { code, result } = call(era, 'search_schema', { query: 'how an employee feels today', limit: 5 });
    assert.equal(code, 0);
    const coordinates = result.structuredContent.hits.map((hit) => hit.coordinate);
    assert.ok(coordinates.includes('field:Employee.currentMood'), coordinates.join());
  });

  test(`${era}: get_symbols`, () => {
    const { code, result } = call(era, 'get_symbols', { coordinates: ['enum:Mood'] });
    assert.equal(code, 0);
    const [mood] = result.structuredContent.symbols;
    assert.deepEqual(mood.record.Values.map((value) => value.Name), ['HAPPY', 'SAD']);
  });

  test(`${era}: an invalid request is a readable result`, () => {
    const { code, result } = call(era, 'search_schema', { query: 'mood', limit: 0 });
    assert.equal(code, 5);
    assert.equal(result.isError, true);
    assert.ok(result.content[0].text.startsWith('The request is not valid.'), result.content[0].text);
  });
}
