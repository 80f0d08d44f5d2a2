import tseslint from "typescript-eslint";

export default tseslint.config(
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ["src/**/*.ts"] })),
  {
    files: ["src/**/*.ts"],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Numbers in a message need no conversion.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // `() => void f()` and `() => provider.call()` read best as one line.
      "@typescript-eslint/no-confusing-void-expression": "off",
      // Keys of an index signature are written as such, as the compiler asks for elsewhere.
      "@typescript-eslint/dot-notation": "off",
    },
  },
);
