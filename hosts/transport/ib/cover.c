#include "hosts/transport/ib/cover.h"

#include <stdlib.h>

/* Everywhere here: a node is the number of its range + 1, and 0 is none. */
static struct ibt_cover_range *range_of(const struct ibt_cover *c, uint32_t node)
{
    return &c->ranges[node - 1];
}

/* Random enough for a balanced tree, and the same in each run: the last steps of MurmurHash3. */
static uint32_t weight_of(uint32_t node)
{
    node = (node ^ node >> 16) * 0x85ebca6bu;
    node = (node ^ node >> 13) * 0xc2b2ae35u;
    return node ^ node >> 16;
}

static bool is_before(const struct ibt_cover *c, uint32_t a, uint32_t b)
{
    uint64_t at = range_of(c, a)->address, other = range_of(c, b)->address;

    return at < other || (at == other && a < b);
}

static void take_below(const struct ibt_cover *c, struct ibt_cover_range *r, uint32_t child)
{
    if (child == 0)
        return;
    if (range_of(c, child)->reach > r->reach)
        r->reach = range_of(c, child)->reach;
    if (range_of(c, child)->newest > r->newest)
        r->newest = range_of(c, child)->newest;
}

static void update(const struct ibt_cover *c, uint32_t node)
{
    struct ibt_cover_range *r = range_of(c, node);

    r->reach = r->end;
    r->newest = node;
    take_below(c, r, r->left);
    take_below(c, r, r->right);
}

/* What is below `root` into those before `node` and those behind it. */
static void split(const struct ibt_cover *c, uint32_t root, uint32_t node, uint32_t *before_p,
                  uint32_t *behind_p)
{
    if (root == 0) {
        *before_p = *behind_p = 0;
        return;
    }
    if (is_before(c, root, node)) {
        split(c, range_of(c, root)->right, node, &range_of(c, root)->right, behind_p);
        *before_p = root;
    } else {
        split(c, range_of(c, root)->left, node, before_p, &range_of(c, root)->left);
        *behind_p = root;
    }
    update(c, root);
}

/* All of `before` are before all of `behind`. @return the root of both */
static uint32_t join(const struct ibt_cover *c, uint32_t before, uint32_t behind)
{
    uint32_t root = before;

    if (before == 0 || behind == 0)
        return before + behind;
    if (weight_of(before) > weight_of(behind)) {
        range_of(c, before)->right = join(c, range_of(c, before)->right, behind);
    } else {
        root = behind;
        range_of(c, behind)->left = join(c, before, range_of(c, behind)->left);
    }
    update(c, root);
    return root;
}

static uint32_t insert(const struct ibt_cover *c, uint32_t root, uint32_t node)
{
    struct ibt_cover_range *r = range_of(c, node);

    if (root == 0 || weight_of(node) > weight_of(root)) {
        split(c, root, node, &r->left, &r->right);
        root = node;
    } else if (is_before(c, node, root)) {
        range_of(c, root)->left = insert(c, range_of(c, root)->left, node);
    } else {
        range_of(c, root)->right = insert(c, range_of(c, root)->right, node);
    }
    update(c, root);
    return root;
}

static uint32_t erase(const struct ibt_cover *c, uint32_t root, uint32_t node)
{
    struct ibt_cover_range *r = range_of(c, root);

    if (root == node)
        return join(c, r->left, r->right);
    if (is_before(c, node, root))
        r->left = erase(c, r->left, node);
    else
        r->right = erase(c, r->right, node);
    update(c, root);
    return root;
}

void ibt_cover_fini(struct ibt_cover *c)
{
    free(c->ranges);
    *c = (struct ibt_cover){ 0 };
}

bool ibt_cover_add(struct ibt_cover *c, uint64_t address, uint64_t bytes)
{
    if (c->n == c->room) {
        uint32_t room = c->room * 2 + 16;
        struct ibt_cover_range *more = realloc(c->ranges, room * sizeof(*more));

        if (more == NULL)
            return false;
        c->ranges = more;
        c->room = room;
    }
    c->ranges[c->n++] = (struct ibt_cover_range){ .address = address, .end = address + bytes };
    c->root = insert(c, c->root, c->n);
    return true;
}

void ibt_cover_drop(struct ibt_cover *c, uint32_t number)
{
    uint32_t node = number + 1, last = c->n;

    c->root = erase(c, c->root, node);
    if (node != last) {
        c->root = erase(c, c->root, last);
        *range_of(c, node) = *range_of(c, last);
        c->root = insert(c, c->root, node);
    }
    c->n--;
}

/* @return the newest one, or `found` if that is newer */
static uint32_t newest_of(const struct ibt_cover *c, uint32_t root, uint64_t address, uint64_t end,
                          uint32_t found)
{
    const struct ibt_cover_range *r;

    if (root == 0)
        return found;
    r = range_of(c, root);
    if (r->reach < end || r->newest <= found)
        return found;
    if (r->address > address)
        return newest_of(c, r->left, address, end, found);
    if (r->end >= end && root > found)
        found = root;
    found = newest_of(c, r->right, address, end, found);
    return newest_of(c, r->left, address, end, found);
}

bool ibt_cover_find(const struct ibt_cover *c, uint64_t address, uint64_t bytes, uint32_t *number_p)
{
    uint32_t found = newest_of(c, c->root, address, address + bytes, 0);

    if (found == 0)
        return false;
    *number_p = found - 1;
    return true;
}
