/* The theme stores which colours it shows on every page. "As the system" is stored here as nothing: then
   light or dark follows the system until a reader chooses one of them. */
const store = Storage.prototype.setItem;
Storage.prototype.setItem = function (key, value) {
  if (key.endsWith(".__palette") && JSON.parse(value).color.media === "(prefers-color-scheme)") {
    this.removeItem(key);
  } else {
    store.call(this, key, value);
  }
};
