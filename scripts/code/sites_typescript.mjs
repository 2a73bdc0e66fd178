// Every name in a TypeScript or JavaScript tree, resolved by the TypeScript
// compiler's own checker.
//
//     node sites_typescript.mjs WORK LANGUAGE PACKAGE > sites.json
//
// Writes the definitions of the tree and the places that name them, in the form
// that `rows.py` reads: {language, package, tool, definitions, sites, overrides}.

import { createRequire } from "node:module";
import fs from "node:fs";
import path from "node:path";

const [folder, language, packageName] = process.argv.slice(2);
const work = path.resolve(folder);
const ts = createRequire(path.join(work, "npm/node_modules/x.js"))("typescript");
const root = path.resolve(work, "corpus", language, packageName);
const extensions = language === "javascript" ? [".js", ".mjs", ".cjs"] : [".ts", ".tsx", ".mts", ".cts"];

const files = fs
  .readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && extensions.some((end) => entry.name.endsWith(end)) && !entry.name.endsWith(".d.ts"))
  .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
  .sort();

// Dependencies are found as the package's own build finds them, in the nearest
// node_modules above it.
const modules = path.resolve(work, "corpus/node_modules");
if (!fs.existsSync(modules)) fs.symlinkSync(path.resolve(work, "npm/node_modules"), modules);

const program = ts.createProgram(files, {
  allowJs: language === "javascript",
  checkJs: language === "javascript",
  esModuleInterop: true,
  experimentalDecorators: true,
  jsx: ts.JsxEmit.Preserve,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  noEmit: true,
  skipLibCheck: true,
  strict: true,
  target: ts.ScriptTarget.ESNext,
  typeRoots: [path.join(modules, "@types")],
  types: ["node"],
});
const checker = program.getTypeChecker();
const own = program.getSourceFiles().filter((file) => files.includes(path.resolve(file.fileName)));

const definitions = [];
const byNode = new Map();
const relative = (file) => path.relative(root, path.resolve(file.fileName)).split(path.sep).join("/");
const lineOf = (file, position) => file.getLineAndCharacterOfPosition(position).line + 1;

const isFunction = (node) =>
  node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isClassExpression(node));
const bare = (node) => {
  while (node && (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression?.(node))) {
    node = node.expression;
  }
  return node;
};

// What a node defines: [kind, name node, body], or nothing.
function definitionOf(node) {
  if (ts.isFunctionDeclaration(node)) return ["function", node.name];
  // `return function named() {}`; what a declaration names is taken there.
  if (ts.isFunctionExpression(node) && node.name && !definitionOf(node.parent)) return ["function", node.name];
  if (ts.isClassDeclaration(node)) return ["class", node.name];
  if (ts.isInterfaceDeclaration(node)) return ["interface", node.name];
  if (ts.isEnumDeclaration(node)) return ["enum", node.name];
  if (ts.isTypeAliasDeclaration(node)) return ["type", node.name];
  if (ts.isConstructorDeclaration(node)) return ["constructor", node];
  if (ts.isMethodDeclaration(node)) return [ts.isObjectLiteralExpression(node.parent) ? "property" : "method", node.name];
  if (ts.isGetAccessor(node) || ts.isSetAccessor(node)) return ["accessor", node.name];
  if (ts.isMethodSignature(node)) return ["signature", node.name];
  if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && isFunction(bare(node.initializer))) {
    return [ts.isClassExpression(bare(node.initializer)) ? "class" : "function", node.name];
  }
  if (ts.isPropertyDeclaration(node) && isFunction(bare(node.initializer))) return ["method", node.name];
  if (ts.isPropertyAssignment(node) && isFunction(bare(node.initializer))) return ["property", node.name];
  if (
    ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken && isFunction(node.right) &&
    ts.isPropertyAccessExpression(node.left)
  ) {
    return ["assigned", node.left.name];
  }
  return undefined;
}

function add(node, kind, nameNode, within) {
  const file = node.getSourceFile();
  const name = kind === "constructor" ? "constructor" : (nameNode?.getText(file) ?? "default");
  const start = nameNode && kind !== "constructor" ? nameNode.getStart(file) : node.getStart(file);
  const parent = within === undefined ? undefined : definitions[within];
  const id = definitions.length;
  definitions.push({
    id, kind, name, path: relative(file), line: lineOf(file, start),
    from: Math.min(lineOf(file, node.getStart(file)), lineOf(file, statementOf(node).getStart(file))),
    to: lineOf(file, node.getEnd()), parent: within ?? null,
    qualified: parent && parent.kind !== "value" ? `${parent.qualified}.${name}` : name,
    body: node.body !== undefined || isFunction(bare(node.initializer ?? node.right)) || ts.isClassLike(node),
  });
  byNode.set(node, id);
  return id;
}

// The statement that a declaration stands in: `export const f = …` starts there.
function statementOf(node) {
  if (ts.isVariableDeclaration(node)) return node.parent.parent;
  if (ts.isBinaryExpression(node) && ts.isExpressionStatement(node.parent)) return node.parent;
  return node;
}

function collect(node, within) {
  const found = definitionOf(node);
  if (found) within = add(node, found[0], found[1], within);
  ts.forEachChild(node, (child) => collect(child, within));
}
for (const file of own) collect(file, undefined);

// One symbol, one group: overload signatures and merged declarations.
const groups = new Map();
for (const [node, id] of byNode) {
  const name = node.name ?? (ts.isBinaryExpression(node) ? node.left.name : undefined);
  const symbol = node.symbol ?? (name && checker.getSymbolAtLocation(name));
  if (!symbol) continue;
  if (!groups.has(symbol)) groups.set(symbol, id);
  definitions[id].group = groups.get(symbol);
}
for (const definition of definitions) definition.group ??= definition.id;

function follow(symbol, depth = 0) {
  if (!symbol || depth > 8) return symbol;
  if (symbol.flags & ts.SymbolFlags.Alias) {
    const next = checker.getAliasedSymbol(symbol);
    return next === symbol ? symbol : follow(next, depth + 1);
  }
  // `module.exports = name` and `exports.name = name` pass a definition on.
  const node = symbol.valueDeclaration ?? symbol.declarations?.[0];
  const assignment = node && (ts.isBinaryExpression(node) ? node : ts.isBinaryExpression(node.parent ?? node) ? node.parent : undefined);
  if (language === "javascript" && assignment && !byNode.has(assignment)) {
    const right = bare(assignment.right);
    if (right && ts.isIdentifier(right)) return follow(checker.getSymbolAtLocation(right), depth + 1) ?? symbol;
  }
  if (language === "javascript" && node && ts.isPropertyAssignment(node) && ts.isIdentifier(node.initializer)) {
    return follow(checker.getSymbolAtLocation(node.initializer), depth + 1) ?? symbol;
  }
  if (language === "javascript" && node && ts.isShorthandPropertyAssignment(node)) {
    return follow(checker.getShorthandAssignmentValueSymbol(node), depth + 1) ?? symbol;
  }
  return symbol;
}

function idsOf(symbol) {
  const ids = new Set();
  for (const declaration of symbol?.declarations ?? []) {
    let node = declaration;
    if (!byNode.has(node) && ts.isBinaryExpression(node.parent ?? node) && byNode.has(node.parent)) node = node.parent;
    if (!byNode.has(node) && isFunction(node) && byNode.has(node.parent)) node = node.parent;
    const file = node.getSourceFile();
    if (!own.includes(file) || ts.isSourceFile(node)) continue;
    if (!byNode.has(node)) {
      if (ts.isParameter(node) || ts.isTypeParameterDeclaration(node)) continue;
      const id = add(node, "value", node.name ?? node, undefined);
      definitions[id].group = id;
    }
    ids.add(byNode.get(node));
  }
  return [...ids];
}

function role(node) {
  for (let up = node.parent; up; up = up.parent) {
    if (ts.isImportDeclaration(up) || ts.isExportDeclaration(up) || ts.isImportEqualsDeclaration(up)) return "import";
    if (ts.isStatement(up)) break;
  }
  let inner = node;
  if (ts.isPropertyAccessExpression(inner.parent) && inner.parent.name === inner) inner = inner.parent;
  while (ts.isParenthesizedExpression(inner.parent) || ts.isNonNullExpression(inner.parent) || ts.isAsExpression(inner.parent)) {
    inner = inner.parent;
  }
  const parent = inner.parent;
  if ((ts.isCallExpression(parent) || ts.isNewExpression(parent)) && parent.expression === inner) return "call";
  if (ts.isTaggedTemplateExpression(parent) && parent.tag === inner) return "call";
  if (ts.isDecorator(parent)) return "decorator";
  return "mention";
}

// The properties that a local name was taken out of: `const { run } = engine`.
function destructured(symbol) {
  const node = symbol?.valueDeclaration;
  if (!node || !ts.isBindingElement(node) || !ts.isObjectBindingPattern(node.parent)) return undefined;
  const key = (node.propertyName ?? node.name).getText();
  return checker.getTypeAtLocation(node.parent).getProperty(key);
}

const sites = [];
function visit(node, within, file) {
  if (byNode.has(node) && definitions[byNode.get(node)].kind !== "value") within = byNode.get(node);
  if ((ts.isIdentifier(node) || ts.isPrivateIdentifier(node) || node.kind === ts.SyntaxKind.SuperKeyword) && !ts.isJSDoc(node.parent)) {
    site(node, within, file);
  }
  ts.forEachChild(node, (child) => visit(child, within, file));
}

function site(node, within, file) {
  const parent = node.parent;
  if (language === "javascript" && ["exports", "module", "require"].includes(node.text)) return;
  const declares = parent.name === node && !ts.isPropertyAccessExpression(parent) && !ts.isExportSpecifier(parent) &&
    !ts.isImportSpecifier(parent) && !ts.isImportClause(parent) && !ts.isNamespaceImport(parent) && !ts.isShorthandPropertyAssignment(parent);
  const place = { path: relative(file), line: lineOf(file, node.getStart(file)), name: node.text ?? "super", within: within ?? null };
  if (ts.isBinaryExpression(parent.parent ?? parent) && byNode.has(parent.parent) && parent.parent.left === parent && parent.name === node) return;
  let symbol;
  let soft = false;
  let imported = false;
  if (node.kind === ts.SyntaxKind.SuperKeyword) {
    if (!ts.isCallExpression(parent)) return;
    const declaration = checker.getResolvedSignature(parent)?.declaration;
    const to = declaration && byNode.has(declaration) ? [byNode.get(declaration)] : idsOf(checker.getTypeAtLocation(node).symbol);
    if (to.length) sites.push({ ...place, role: "call", to, soft: true });
    return;
  }
  if (declares) {
    if (!ts.isBindingElement(parent)) return;
    const own = checker.getSymbolAtLocation(node);
    // `const { run } = require("./engine")` is an import.
    imported = Boolean(own && own.flags & ts.SymbolFlags.Alias);
    symbol = imported ? own : destructured(own);
    if (!symbol) return;
  } else if (ts.isShorthandPropertyAssignment(parent)) {
    symbol = checker.getShorthandAssignmentValueSymbol(parent);
  } else {
    symbol = checker.getSymbolAtLocation(node);
  }
  symbol = follow(symbol);
  const local = destructured(symbol);
  if (local) [symbol, soft] = [follow(local), true];
  if (!symbol || (symbol.flags & ts.SymbolFlags.Alias && checker.isUnknownSymbol?.(symbol)) || checker.isUnknownSymbol?.(symbol)) {
    sites.push({ ...place, role: role(node), to: [], unknown: true });
    return;
  }
  const to = idsOf(symbol);
  if (to.length) sites.push({ ...place, role: imported ? "import" : role(node), to, soft });
}
for (const file of own) visit(file, undefined, file);

// Which member stands in for which: what a class overrides or implements.
const overrides = [];
for (const [node, id] of [...byNode]) {
  const owner = node.parent;
  if (!["method", "accessor", "signature"].includes(definitions[id].kind) || !(ts.isClassLike(owner) || ts.isInterfaceDeclaration(owner))) continue;
  for (const clause of owner.heritageClauses ?? []) {
    for (const base of clause.types) {
      const property = checker.getTypeAtLocation(base).getProperty(definitions[id].name);
      for (const other of idsOf(property)) if (other !== id) overrides.push([id, other]);
    }
  }
}

process.stdout.write(JSON.stringify({ language, package: packageName, tool: `TypeScript ${ts.version}`, definitions, sites, overrides }));
