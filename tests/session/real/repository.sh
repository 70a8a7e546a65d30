# The life of a repository.
set -e
rm -rf repository
git init -q repository
cd repository
export GIT_AUTHOR_DATE="2020-01-01T00:00:00Z" GIT_COMMITTER_DATE="2020-01-01T00:00:00Z"
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
for i in 1 2 3 4 5; do
    seq $((i * 1000)) > file
    git add file
    git commit -qm "step $i"
done
git log --format='%h %s'
git gc -q
git fsck
git diff HEAD~1 --stat
git rev-parse HEAD
