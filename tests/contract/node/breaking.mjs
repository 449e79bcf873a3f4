// Compares openapi.yaml with that of the last release: exits 1 on a breaking change.
// Usage: node breaking.mjs [BEFORE.yaml] (default: the file at the last tag v*)
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { apiCompare } from "api-smart-diff";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const git = (...words) =>
  execFileSync("git", words, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

function lastRelease() {
  try {
    const tag = git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*").trim();
    return [tag, git("show", `${tag}:openapi.yaml`)];
  } catch {
    return [null, null];
  }
}

// What an answer gains breaks nobody: clients ignore unknown fields and enum values.
function isGain({ action, path }) {
  const place = path.join("/");
  return action === "add" && /\/responses\/.*\/(properties|required|enum|oneOf|anyOf)\/[^/]+$/.test(place);
}

const given = process.argv[2];
const [name, before] = given ? [given, readFileSync(given, "utf8")] : lastRelease();
if (name === null) {
  console.log("No release yet: there is nothing to break.");
  process.exit(0);
}
const after = readFileSync(`${root}/openapi.yaml`, "utf8");
const { diffs } = apiCompare(parse(before), parse(after));
// Components are seen where a path uses them: only there is it known who sends them.
const breaking = diffs.filter(
  (diff) => diff.type === "breaking" && diff.path[0] === "paths" && !isGain(diff),
);
for (const diff of breaking.slice(0, 20)) {
  console.error(`breaking: ${diff.path.join("/")}: ${diff.description ?? diff.action}`);
}
console.log(`Against ${name}: ${diffs.length} changes, ${breaking.length} of them breaking.`);
process.exit(breaking.length ? 1 : 0);
