// Runs the public MCP conformance suite against the binary over HTTP, for each
// revision of the protocol. What cannot apply to a server of these tools is listed
// in conformance.json, with the reason; what is listed there and passes all the
// same is a failure too. Run by scripts/test.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import test from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const binary = process.env.SEXTANT_BINARY ?? join(root, 'target/release/sextant');
const index = join(root, 'target/clients/indexes/employees.sqlite');
const suite = join(root, 'target/clients/node_modules/@modelcontextprotocol/conformance/dist/index.js');

// The suite imports `globSync` of `fs`, which Node.js has from version 22 on, for a
// command that is not run here. Before that, a stand-in lets it be loaded.
const standIn = (from) => `data:text/javascript,${encodeURIComponent(from)}`;
const fs = standIn("export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = undefined;");
const hook = standIn(
  `export const resolve = (name, context, next) => name === 'fs' && context.parentURL === ${JSON.stringify(pathToFileURL(suite).href)}
    ? { url: ${JSON.stringify(fs)}, shortCircuit: true } : next(name, context);`,
);
const preload = standIn(`import { register } from 'node:module'; register(${JSON.stringify(hook)});`);
const needed = Number(process.versions.node.split('.')[0]) < 22 ? ['--import', preload] : [];

const server = spawn(binary, ['mcp', '--index', index, '--http', '127.0.0.1:0'], {
  env: { SEXTANT_LOG: 'sextant=info' },
  stdio: ['ignore', 'ignore', 'pipe'],
});
test.after(async () => {
  server.kill('SIGTERM');
  assert.deepEqual(await once(server, 'exit'), [0, null]);
});
let url;
for await (const line of createInterface({ input: server.stderr })) {
  [, url] = line.match(/url=(\S+)/) ?? [];
  if (url) break;
}

const exceptions = JSON.parse(readFileSync(join(here, 'conformance.json'), 'utf8'));

for (const revision of ['2025-11-25', '2026-07-28']) {
  test(`the scenarios for servers of ${revision}`, (t) => {
    const applies = exceptions.filter((exception) => [undefined, revision].includes(exception.revision));
    const baseline = join(root, `target/clients/conformance-${revision}.yaml`);
    // The suite reads YAML, which JSON is.
    writeFileSync(baseline, JSON.stringify({ server: applies.flatMap(({ scenarios }) => scenarios) }));
    const run = spawnSync(
      process.execPath,
      [
        ...[...needed, suite, 'server', '--url', url, '--suite', 'all', '--spec-version', revision],
        ...['--expected-failures', baseline],
      ],
      { encoding: 'utf8', timeout: 300_000, cwd: join(root, 'target/clients') },
    );
    assert.ifError(run.error);
    t.diagnostic(run.stdout.match(/Total: .*/)?.[0] ?? 'no total');
    assert.equal(run.status, 0, run.stdout + run.stderr);
  });
}
