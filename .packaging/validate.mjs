// Holds a JSON file against a schema of 2020-12. usage: validate.mjs SCHEMA FILE      (copied beside ajv before it is run)
import { readFileSync } from "node:fs";
import Ajv from "ajv/dist/2020.js";

const [schema, file] = process.argv.slice(2).map((name) => JSON.parse(readFileSync(name, "utf8")));
const validate = new Ajv({ strict: true, strictRequired: false, strictTypes: false, allErrors: true, validateFormats: false }).compile(schema);
if (!validate(file)) {
  validate.errors.forEach((error) => console.error(`${error.instancePath}: ${error.message}`));
  process.exit(1);
}
console.log("the schema has nothing to say");
